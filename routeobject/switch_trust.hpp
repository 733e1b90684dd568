// Decides whether new paths may use a switch, from what its SwitchServer reports and when.
//
//              report without control              `lost` without control
//   trusted ──────────────────────────▶ in doubt ──────────────────────────▶ unknown
//     │ ▲                                  │                                  ▲  │
//     │ └──────────────────────────────────┴── `trust` under control ─────────┼──┘
//     └─────────────────────────── silence for `silent` ──────────────────────┘
//
// "Control": the SwitchServer reports that its control session to the switch is up. New paths may
// use a switch that is trusted or in doubt, but not an unknown one.
//
// A lost control session does not mean a dead switch: its lines may still carry cells. So doubt
// alone excludes nothing. Silence for `silent` skips the doubt, also from "in doubt": the waiting
// is already done.
//
// Doubt ends only after `trust` under control without a break. A control session that comes and
// goes therefore makes the switch unknown at the first loss after `lost`, and the switch becomes
// trusted once, not at every return. Exception: a switch that has never been under control before
// is trusted at the first report with control.
//
// A switch whose SwitchServer has never reported is trusted: the SwitchServer may be configured
// without a Router.
//
// Pure; one thread at a time. `now` must not decrease. Pass the same options to every call.
#pragma once

#include <chrono>
#include <optional>

#include "core/clock.hpp"
#include "routeobject/timers.hpp"

namespace xbind {

struct SwitchTrustOptions {
  // A switch in doubt becomes unknown after this time, from the first report without control.
  Duration lost = kRouteObjectTimers["switch-lost-ms"];
  // A switch is unknown if its SwitchServer, having reported before, is silent for this time; zero
  // disables this. Use at least three times the SwitchServers' --report-refresh-ms.
  Duration silent = kRouteObjectTimers["switch-silent-ms"];
  // A switch in doubt or unknown is trusted again after this time under control without a break.
  Duration trust = kRouteObjectTimers["switch-trust-ms"];
};

// The trust in one switch.
class SwitchTrust {
 public:
  // The SwitchServer has reported at `now`. First makes the changes that were due before, except
  // for silence, which this report ends.
  void heard(bool under_control, const SwitchTrustOptions& options, TimePoint now);
  // Makes the changes that are due at `now`. `awake_since`: since when this process can hear
  // reports; silence counts from then at the earliest. kNever: it cannot hear any, so silence does
  // not count.
  void tick(const SwitchTrustOptions& options, TimePoint awake_since, TimePoint now);
  bool unknown() const { return unknown_; }
  // When the present doubt began: at the first report without control, or at the last report before
  // a silence. For an unknown switch only; a trusted one has TimePoint{}.
  TimePoint in_doubt_since() const { return doubt_since_.value_or(TimePoint{}); }
  // Whether it became unknown by silence and its SwitchServer has not reported since.
  bool is_silent() const { return silent_; }

 private:
  std::optional<TimePoint> last_word_;      // the last report
  std::optional<TimePoint> doubt_since_;    // nullopt: trusted; also set while unknown
  std::optional<TimePoint> control_since_;  // without a break, while in doubt or unknown
  bool had_control_ = false;                // at least once
  bool unknown_ = false;
  bool silent_ = false;
};

}  // namespace xbind
