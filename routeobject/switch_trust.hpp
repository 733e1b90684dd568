// Decides whether new paths may use a switch, from what its SwitchServer reports and when.
//
//                     no control, or silence                  for `lost`
//   never heard of ──▶ trusted ──────────────▶ in doubt ──────────────────▶ unknown
//                         ▲                       │ control, for `trust`       │
//                         └───────────────────────┴────────────────────────────┘
//
// A lost control session is not a dead switch: its lines may carry cells. So the switch stays
// trusted for `lost`. Silence of `silent` makes it unknown at once, since that time has already
// passed.
//
// The doubt ends only when the switch has been under control for `trust` without a break. A session
// that comes and goes is therefore unknown after `lost` all the same, and an unknown switch becomes
// trusted once, not at every return. A switch that was never under control before is trusted as
// soon as some SwitchServer has control.
//
// A SwitchServer that has never reported is not in doubt: it may report to no Router.
//
// Pure; one thread at a time.
#pragma once

#include <chrono>
#include <optional>

#include "core/clock.hpp"
#include "routeobject/timers.hpp"

namespace xbind {

struct SwitchTrustOptions {
  // A switch is unknown after this time without control.
  Duration lost = kRouteObjectTimers["switch-lost-ms"];
  // A switch is unknown if its SwitchServer, having reported before, is silent for this time; zero
  // disables this. Several times the SwitchServers' report refresh interval.
  Duration silent = kRouteObjectTimers["switch-silent-ms"];
  // A switch is trusted again after this time under control without a break.
  Duration trust = kRouteObjectTimers["switch-trust-ms"];
};

class SwitchTrust {
 public:
  // Its SwitchServer has reported, with or without control of the switch.
  void heard(bool under_control, const SwitchTrustOptions& options, TimePoint now);
  // Handles what is due at `now`. Silence counts from `awake_since` at the earliest; kNever: not at
  // all, because a stopped process hears nothing.
  void tick(const SwitchTrustOptions& options, TimePoint awake_since, TimePoint now);
  bool unknown() const { return unknown_; }
  // Since when no SwitchServer has had control of an unknown switch.
  TimePoint in_doubt_since() const { return doubt_since_.value_or(TimePoint{}); }
  // Whether it became unknown by silence and its SwitchServer has not reported since.
  bool is_silent() const { return silent_; }

 private:
  std::optional<TimePoint> last_word_;
  std::optional<TimePoint> doubt_since_;    // nullopt: trusted
  std::optional<TimePoint> control_since_;  // without a break, while in doubt
  bool had_control_ = false;                // at least once
  bool unknown_ = false;
  bool silent_ = false;
};

}  // namespace xbind
