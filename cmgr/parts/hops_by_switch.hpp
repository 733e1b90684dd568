// Index of the hops at each switch, so that losing, changing or auditing a switch costs only its
// own hops.
//
// Each switch has a dense list of entries; a removed entry is replaced by the last one. Each hop
// stores its position (Hop::indexed_at), which moves with the hop when trees are grafted, cut or
// copied.
//
// Not thread-safe; owned by ConnectionTable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cmgr/parts/connection.hpp"

namespace xbind::cmgr {

class HopsBySwitch {
 public:
  void add(Connection& connection, Hop& hop) {
    if (index(hop.at) >= lists_.size()) lists_.resize(index(hop.at) + 1);
    std::vector<Connection*>& list = lists_[index(hop.at)];
    hop.indexed_at = static_cast<std::uint32_t>(list.size());
    list.push_back(&connection);
  }
  // `find(connection, at, place)` returns the hop of that connection with that position.
  template <class Find>
  void remove(Hop& hop, Find&& find) {
    std::vector<Connection*>& list = lists_[index(hop.at)];
    const auto last = static_cast<std::uint32_t>(list.size() - 1);
    if (hop.indexed_at != last) {
      Hop& moved = find(*list[last], hop.at, last);
      moved.indexed_at = hop.indexed_at;
      list[hop.indexed_at] = list[last];
    }
    list.pop_back();
    hop.indexed_at = Hop::kNotIndexed;
  }
  // The connections of the hops at that switch: one that passes several times is listed as often.
  const std::vector<Connection*>& at(SwitchIndex at) const {
    static const std::vector<Connection*> kNone;
    return index(at) < lists_.size() ? lists_[index(at)] : kNone;
  }

 private:
  static std::size_t index(SwitchIndex at) { return at.value(); }

  std::vector<std::vector<Connection*>> lists_;  // by SwitchIndex
};

}  // namespace xbind::cmgr
