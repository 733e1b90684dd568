// The ports of a ledger by number: the switch's number of a port (PortId) and its place in the
// lists of the other parts (PortIndex).
//
// Invariants: places are dense from 0, in the order in which the ports came. A port keeps its place
// for the life of the ledger, also while the switch lacks it. At most kPortsMax ports.
//
// find() takes constant time. One thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/flat_map.hpp"
#include "core/ids.hpp"
#include "switchserver/ledger/label_pool.hpp"

namespace xbind {

class PortNumbers {
 public:
  static constexpr std::size_t kPortsMax = 65'535;  // ports in the ledger, missing ones included

  // The port's place, new or known. nullopt: there are kPortsMax others.
  std::optional<PortIndex> enter(PortId id) {
    if (const auto known = find(id)) return known;
    if (ids_.size() >= kPortsMax) return std::nullopt;
    const PortIndex place{static_cast<PortIndex::rep>(ids_.size())};
    ids_.push_back(id);
    places_.insert(id, place.value());
    return place;
  }
  // nullopt: a port that was never entered.
  std::optional<PortIndex> find(PortId id) const {
    const std::uint32_t found = places_.find(id);
    if (found == AbsentIndex::kAbsent) return std::nullopt;
    return PortIndex{static_cast<PortIndex::rep>(found)};
  }
  // `at` must be a place of this table, as in every function of the parts that takes one.
  PortId id(PortIndex at) const { return ids_[at.value()]; }
  std::size_t size() const { return ids_.size(); }  // all places are below it

 private:
  std::vector<PortId> ids_;                             // by PortIndex
  FlatMap<PortId, std::uint32_t, AbsentIndex> places_;  // indices in ids_
};

}  // namespace xbind
