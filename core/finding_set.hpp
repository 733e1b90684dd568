// The findings of one look of an audit, to tell whether another look has found the same
// (core/audit.hpp: kind, element and Finding::identity()). A value; one thread.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/audit.hpp"

namespace xbind {

class FindingSet {
 public:
  FindingSet() = default;
  explicit FindingSet(const std::vector<Finding>& findings) {
    for (const Finding& one : findings) add(one);
  }
  void add(const Finding& finding) { all_.insert(key_of(finding)); }
  bool contains(const Finding& finding) const { return all_.contains(key_of(finding)); }

 private:
  using Key = std::tuple<FindingKind, std::string, std::string>;
  static Key key_of(const Finding& one) { return {one.kind, one.element, one.identity()}; }

  std::set<Key> all_;
};

}  // namespace xbind
