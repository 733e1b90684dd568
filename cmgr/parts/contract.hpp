// What a connection takes of the network in both directions, and what the switches are told of each.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind::cmgr {

// The reverse members are nought for a connection in one direction.
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

}  // namespace xbind::cmgr
