// Whether a call would fit on a path, from what the SwitchServers along it have answered. Pure; no
// arithmetic of admission: that is the ledgers' own (core/hop_room.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "core/hop_room.hpp"
#include "core/ids.hpp"

namespace xbind::ctl {

struct PathHop {
  std::string switch_name;
  PortId input_port;
  PortId output_port;
};
using PathHops = std::vector<PathHop>;  // from the caller's end; not empty

// The answers for the hops of a path, in its order. nullopt: the SwitchServer did not answer.
using HopRooms = std::vector<std::optional<HopRoom>>;

struct Shortage {
  Cause cause = Cause::kNoBandwidth;
  std::string element;      // "switch-1 port 2"; "switch-1" if no port refuses
  std::uint64_t asked = 0;  // in the unit of the cause; labels: 1
  std::uint64_t free = 0;
};
// "no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700".
std::string words_of(const Shortage& shortage);

// A path without shortage and without unknown switches has room.
struct PathVerdict {
  std::optional<Shortage> shortage;    // what would refuse the call
  std::vector<std::string> unknown;    // switches whose SwitchServers did not answer
  std::uint64_t copies = 0;            // such calls that fit; 0 if a switch is unknown
  std::uint64_t most_cells_per_s = 0;  // rate of a CBR call that fits; 0 if a switch is unknown

  bool fits() const { return !shortage && unknown.empty(); }
};

// Of several hops that would refuse, the one with the least part of what it is asked; the first of
// equals. `rooms`: one for each hop. `limit`: of copies.
PathVerdict verdict_of(const PathHops& path, const HopRooms& rooms, std::uint64_t limit);

}  // namespace xbind::ctl
