// How "unknown" travels in messages that have no field for it (decision 0035).
//
// A switch is unknown when nobody who could say knows how its lines are: its SwitchServer has lost
// the control session, or has itself fallen silent. Its lines may still carry cells.
//
//   Router to managers     an UnusableElement {switch, no port}, drained; the ports of its lines stand
//                          beside it, drained, or down where the neighbour has said so
//   manager to client      a notice "broken", cause "switch unreachable", element "NAME unknown"
//
//   Router to operators    a link is drained in LinkState, and RouteObject's status has a metric
//                          "unknown_switch_ms/NAME" for each such switch
//
// Who does not know of this takes it for a drained switch, and for a connection whose path is in
// doubt.
#pragma once

#include <string>
#include <string_view>

#include "core/cause.hpp"
#include "core/path.hpp"

namespace xbind {

inline UnusableElement unknown_switch(std::string name) {
  return {{std::move(name), PortId{}}, true};
}

inline bool is_unknown_switch(const UnusableElement& it) {
  return it.element.output_port == PortId{} && it.drained;
}

// In RouteObject's status, before the switch's name: for how many milliseconds nobody has had it.
inline constexpr std::string_view kUnknownSwitchMetric = "unknown_switch_ms/";

inline constexpr std::string_view kUnknownEnding = " unknown";

inline std::string unknown_element(std::string_view switch_name) {
  return std::string{switch_name}.append(kUnknownEnding);
}

// Of a notice "broken": the path is in doubt, and not known to be down.
inline bool says_unknown(Cause cause, std::string_view element) {
  return cause == Cause::kSwitchUnreachable && element.ends_with(kUnknownEnding);
}

}  // namespace xbind
