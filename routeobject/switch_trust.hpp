// Whether a switch is one to build on, from what its SwitchServer says of it and when.
//
//                     no control, or silence                  for `lost`
//   never heard of ──▶ trusted ──────────────▶ in doubt ──────────────────▶ unknown
//                         ▲                       │ control, for `trust`       │
//                         └───────────────────────┴────────────────────────────┘
//
// A lost control session is not a dead switch: its lines may carry cells. So it is trusted for
// `lost` more. Silence of `silent` makes it unknown at once: that much patience has been had
// already.
//
// The clock of a doubt runs on until the switch has been under control for `trust` without a break.
// So a session that comes and goes is unknown after `lost` all the same, and an unknown switch is
// trusted again once, not at every return. Of a switch that nobody has ever had under control
// nothing is held against the first who has: it is trusted at once.
//
// Of a SwitchServer that has never reported nothing is concluded: perhaps it reports to nobody.
//
// Pure; one thread at a time.
#pragma once

#include <chrono>
#include <optional>

#include "core/clock.hpp"
#include "routeobject/timers.hpp"

namespace xbind {

struct SwitchTrustOptions {
  // Without control for so long, a switch is unknown.
  Duration lost = kRouteObjectTimers["switch-lost-ms"];
  // Without a word of a SwitchServer that has spoken, likewise; zero: nothing is concluded from
  // silence. Several times the interval at which SwitchServers report in any case.
  Duration silent = kRouteObjectTimers["switch-silent-ms"];
  // Under control for so long without a break, it is trusted again.
  Duration trust = kRouteObjectTimers["switch-trust-ms"];
};

class SwitchTrust {
 public:
  // Its SwitchServer has spoken, and has the switch under control or has not.
  void heard(bool under_control, const SwitchTrustOptions& options, TimePoint now);
  // Takes up what has become due. Silence counts from `awake_since` at the earliest, or (kNever)
  // not at all: nobody can hear while he sleeps.
  void tick(const SwitchTrustOptions& options, TimePoint awake_since, TimePoint now);
  bool unknown() const { return unknown_; }
  // Of an unknown switch: since when nobody has had it under control.
  TimePoint in_doubt_since() const { return doubt_since_.value_or(TimePoint{}); }
  // Likewise: it became so by silence, and its SwitchServer has not spoken since.
  bool is_silent() const { return silent_; }

 private:
  std::optional<TimePoint> last_word_;
  std::optional<TimePoint> doubt_since_;    // nothing: it is trusted
  std::optional<TimePoint> control_since_;  // without a break, while it is in doubt
  bool had_control_ = false;                // once at least
  bool unknown_ = false;
  bool silent_ = false;
};

}  // namespace xbind
