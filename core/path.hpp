// A route as RouteObject answers it: the switches from end to end with the ports a call uses there.
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

// What a path must not use: a link, named by the output port that leads into it, or a whole switch
// (no port).
struct PathElement {
  std::string switch_name;
  PortId output_port;

  friend auto operator<=>(const PathElement&, const PathElement&) = default;
};

// Why no new path may use something.
enum class Unusable : std::uint8_t {
  kDown = 0,
  kDrained = 1,  // it works, but the operator wants it free of connections
  // Nobody who could say knows how it is: its SwitchServer has lost the control session, or has itself
  // fallen silent (decision 0035). Of a whole switch, and of its lines that are neither down nor drained.
  kUnknown = 2,
};
inline constexpr Unusable kUnusableLast = Unusable::kUnknown;

struct UnusableElement {
  PathElement element;
  Unusable why = Unusable::kDown;

  friend auto operator<=>(const UnusableElement&, const UnusableElement&) = default;
};

// What is unusable now, whole. Of a link both ends' ports stand here, of an access line its port.
struct TopologyState {
  std::uint64_t version = 0;  // rises with every change
  std::vector<UnusableElement> unusable;

  friend bool operator==(const TopologyState&, const TopologyState&) = default;
};

struct Path {
  std::vector<PathHop> hops;           // never empty
  std::uint64_t free_cells_per_s = 0;  // the least link rate on the way, as the topology knows it

  friend bool operator==(const Path&, const Path&) = default;
};

}  // namespace xbind
