// Where hops are entered, by label and port.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cmgr/parts/found_call.hpp"

namespace xbind::cmgr {

class InputsByLabel {
 public:
  // Hops where the connection's cells enter the network have no hop before them.
  void add(const FoundHop& hop) {
    if (!hop.begins()) ++hops_[key_of(hop)];
  }
  void remove(const FoundHop& hop) {
    const auto there = hops_.find(key_of(hop));
    if (!hop.begins() && there != hops_.end() && --there->second == 0) hops_.erase(there);
  }
  // Whether is_one(port) for a port where a hop is entered with that label.
  template <class IsOne>
  bool any_of(Label label, IsOne&& is_one) const {
    const auto first = hops_.lower_bound({label, LinkMap::End{}});
    for (auto hop = first; hop != hops_.end() && hop->first.first == label; ++hop) {
      if (is_one(hop->first.second)) return true;
    }
    return false;
  }

 private:
  using Key = std::pair<Label, LinkMap::End>;
  static Key key_of(const FoundHop& hop) {
    const CrossConnect& ports = hop.hop.cross_connect;
    return {ports.input_label, {hop.at, ports.input_port}};
  }

  std::map<Key, std::size_t> hops_;  // how many
};

}  // namespace xbind::cmgr
