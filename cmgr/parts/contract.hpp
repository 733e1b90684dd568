// The resources that a connection uses in each direction, and the traffic contract that the
// switches get for each.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind::cmgr {

// The reverse members are zero for a unidirectional connection.
struct Contract {
  Resources forward;
  Resources reverse;
  TrafficContract traffic{};
  TrafficContract reverse_traffic{};

  const Resources& of_leg(std::uint16_t leg) const { return leg == 1 ? reverse : forward; }
  const TrafficContract& traffic_of_leg(std::uint16_t leg) const {
    return leg == 1 ? reverse_traffic : traffic;
  }
  friend bool operator==(const Contract&, const Contract&) = default;
};

// What both contracts need together: the greater of them in every component.
inline Contract greater(const Contract& a, const Contract& b) {
  return {xbind::greater(a.forward, b.forward), xbind::greater(a.reverse, b.reverse),
          xbind::greater(a.traffic, b.traffic),
          xbind::greater(a.reverse_traffic, b.reverse_traffic)};
}

// What neither contract exceeds: the lesser of them in every component.
inline Contract lesser(const Contract& a, const Contract& b) {
  return {xbind::lesser(a.forward, b.forward), xbind::lesser(a.reverse, b.reverse),
          xbind::lesser(a.traffic, b.traffic), xbind::lesser(a.reverse_traffic, b.reverse_traffic)};
}

}  // namespace xbind::cmgr
