// Which part of a path is short of what a call takes, how much fits, and how often. Pure; the
// caller reads the ports' accounts (network_room.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cause.hpp"
#include "core/path.hpp"
#include "core/resources.hpp"

namespace xbind::ctl {

// What is free at one port of a switch.
struct PortRoom {
  bool up = true;
  Resources free;                         // of its output, cells/s and cells
  std::uint64_t labels = 0;               // output labels, with those in the manager's cache
  std::uint64_t ingress_cells_per_s = 0;  // of its receive side, for calls that begin here
  std::uint64_t ingress_labels = 0;
};
// By switch and port. A port that is missing could not be read; it counts as having room.
using Rooms = std::map<PathElement, PortRoom>;

struct PathHop {
  std::string switch_name;
  PortId input_port;
  PortId output_port;
};
using PathHops = std::vector<PathHop>;  // from the caller's end; not empty

struct Shortage {
  Cause cause = Cause::kNoBandwidth;  // or kNoBuffer, kNoLabel, kLinkDown
  std::string element;                // "switch-1 port 2"
  std::uint64_t asked = 0;            // in the unit of the cause; labels: 1
  std::uint64_t free = 0;
};
// "no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700".
std::string words_of(const Shortage& shortage);

// The shortage that binds: of all elements of the path the one with the least part of what is
// asked; the first of several. nullopt: the path has room.
std::optional<Shortage> shortage_of(const PathHops& path, Resources takes, const Rooms& rooms);

// The greatest rate with which a call of that buffer fits on the path; 0: none does. `limit`: the
// rate of its lines, which bounds a path whose ports could not be read.
std::uint64_t most_cells_per_s(const PathHops& path, std::uint64_t buffer_cells, const Rooms& rooms,
                               std::uint64_t limit);

// How many calls that take this fit on the path, at most `limit`.
std::uint64_t copies_of(const PathHops& path, Resources takes, const Rooms& rooms,
                        std::uint64_t limit);

// Takes the room of that many calls, which must fit.
void take(const PathHops& path, Resources takes, std::uint64_t copies, Rooms& rooms);

}  // namespace xbind::ctl
