// The labels of the deletes that wait for their message, as numbers; each later request is checked
// against them. clear() takes time in proportion to the current members, not to the largest set so
// far. Memory is allocated only when the set grows.
//
// The owner bounds its size. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/flat_map.hpp"

namespace xbind {

class LabelSet {
 public:
  void insert(std::uint64_t label) {
    if (labels_.insert(label, true)) members_.push_back(label);
  }
  bool contains(std::uint64_t label) const { return labels_.contains(label); }
  void clear() {
    for (const std::uint64_t label : members_) labels_.erase(label);
    members_.clear();
  }

 private:
  FlatMap<std::uint64_t, bool> labels_;
  std::vector<std::uint64_t> members_;
};

}  // namespace xbind
