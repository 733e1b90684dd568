// A route from RouteObject: the switches from end to end, with the ports that a call uses there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace xbind {

struct PathHop {
  std::string switch_name;  // as bound under xbind/switchserver/
  PortId input_port;        // first hop: the endpoint's port
  PortId output_port;       // last hop: the endpoint's port

  friend bool operator==(const PathHop&, const PathHop&) = default;
};

// An element that a path must avoid: a link, named by the output port that leads into it, or a
// whole switch (no port).
struct PathElement {
  std::string switch_name;
  PortId output_port;

  friend auto operator<=>(const PathElement&, const PathElement&) = default;
};

// Why new paths must avoid an element.
enum class Unusable : std::uint8_t {
  kDown = 0,
  kDrained = 1,  // works, but the operator wants it free of connections
  // The state cannot be known: its SwitchServer has lost the control session, or does not respond
  // itself (decision 0035). Applies to a whole switch, and to its lines that are neither down nor
  // drained.
  kUnknown = 2,
};
inline constexpr Unusable kUnusableLast = Unusable::kUnknown;

struct UnusableElement {
  PathElement element;
  Unusable why = Unusable::kDown;

  friend auto operator<=>(const UnusableElement&, const UnusableElement&) = default;
};

// The complete list of elements that are unusable now. A link is listed by the ports of both its
// ends, an access line by its port.
struct TopologyState {
  std::uint64_t version = 0;  // rises with every change
  std::vector<UnusableElement> unusable;
  std::uint64_t network_version = 0;  // rises when switches, links or endpoints come, go or change

  friend bool operator==(const TopologyState&, const TopologyState&) = default;
};

// The rate that the operator has set for the line at a port of a switch.
struct PortRate {
  PortId port;
  std::uint64_t cells_per_s = 0;

  friend bool operator==(const PortRate&, const PortRate&) = default;
};

struct Path {
  std::vector<PathHop> hops;           // never empty
  std::uint64_t free_cells_per_s = 0;  // the smallest link rate of the path, according to the
                                       // topology

  friend bool operator==(const Path&, const Path&) = default;
};

}  // namespace xbind
