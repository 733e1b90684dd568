#include "switchserver/switch_absence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xbind {
namespace {

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void SwitchAbsence::away(TimePoint now) {
  if (since_) return;
  since_ = now;
  pause_ = kFirstLogAfter;
  next_log_at_ = now + pause_;
  complained_ = false;
}

void SwitchAbsence::failed(std::string reason) { reason_ = std::move(reason); }

std::optional<std::string> SwitchAbsence::back(TimePoint now) {
  const auto since = std::exchange(since_, std::nullopt);
  const bool first = !std::exchange(ever_met_, true);
  next_log_at_ = kNever;
  reason_.clear();
  if (!since || !std::exchange(complained_, false)) return std::nullopt;
  return fmt::format("the switch at {} is {} after {:.1f} s", peer_, first ? "reached" : "back",
                     seconds_of(now - *since));
}

std::optional<std::string> SwitchAbsence::complaint(TimePoint now) {
  if (!since_ || next_log_at_ > now) return std::nullopt;
  pause_ = std::min(pause_ * 2, kLogPauseMax);
  next_log_at_ = now + pause_;
  complained_ = true;
  return fmt::format("the switch at {} {} {:.1f} s: {}; retrying", peer_,
                     ever_met_ ? "has been away for" : "has not been reached for",
                     seconds_of(now - *since_), reason_.empty() ? "it does not answer" : reason_);
}

std::optional<Duration> SwitchAbsence::away_for(TimePoint now) const {
  if (!since_) return std::nullopt;
  return now - *since_;
}

}  // namespace xbind
