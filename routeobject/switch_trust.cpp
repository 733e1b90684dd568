#include "routeobject/switch_trust.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind {

void SwitchTrust::heard(bool under_control, const SwitchTrustOptions& options, TimePoint now) {
  // First handle what was due before this report: the timer may be late.
  tick(options, kNever, now);
  last_word_ = now;
  silent_ = false;
  if (!under_control) {
    if (!doubt_since_) doubt_since_ = now;
    control_since_.reset();
    return;
  }
  if (!had_control_) {
    doubt_since_.reset();
    unknown_ = false;
  }
  had_control_ = true;
  if (doubt_since_ && !control_since_) control_since_ = now;
}

void SwitchTrust::tick(const SwitchTrustOptions& options, TimePoint awake_since, TimePoint now) {
  const bool listening = options.silent > Duration::zero() && awake_since != kNever;
  if (last_word_ && listening && std::max(*last_word_, awake_since) + options.silent <= now) {
    silent_ = true;
    if (!doubt_since_) doubt_since_ = last_word_;
    control_since_.reset();
    unknown_ = true;
    return;
  }
  if (!doubt_since_) return;
  if (!control_since_) {
    if (planted(Bug::kLossTrusted)) return;
    unknown_ = unknown_ || *doubt_since_ + options.lost <= now;
  } else if (*control_since_ + options.trust <= now) {
    doubt_since_.reset();
    control_since_.reset();
    unknown_ = unknown_ && planted(Bug::kUnknownForEver);
  }
}

}  // namespace xbind
