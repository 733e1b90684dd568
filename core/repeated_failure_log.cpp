#include "core/repeated_failure_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind {

std::optional<std::string> RepeatedFailureLog::failed(const std::string& peer,
                                                      const std::string& cause, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const auto known = troubles_.find(peer);
  if (known == troubles_.end()) {
    if (troubles_.size() < kPeersMax) {
      troubles_[peer] = Trouble{{cause}, now, now + kFirstPause, kFirstPause, 1, {cause, now}};
    }
    return cause;
  }
  Trouble& trouble = known->second;
  ++trouble.tries;
  trouble.latest = {cause, now};
  const bool fresh = trouble.causes.size() < kCausesMax &&
                     std::ranges::find(trouble.causes, cause) == trouble.causes.end();
  if (fresh) {
    trouble.causes.push_back(cause);
    return cause;
  }
  if (now < trouble.say_again) return std::nullopt;
  trouble.pause = std::min(trouble.pause * 2, kLongestPause);
  trouble.say_again = now + trouble.pause;
  return fmt::format("{}; {} tries failed in {} s", cause, trouble.tries,
                     std::chrono::duration_cast<std::chrono::seconds>(now - trouble.since).count());
}

std::optional<RepeatedFailureLog::Failing> RepeatedFailureLog::failing(
    const std::string& peer) const {
  const std::lock_guard lock(mutex_);
  const auto known = troubles_.find(peer);
  if (known == troubles_.end()) return std::nullopt;
  return known->second.latest;
}

std::optional<std::uint64_t> RepeatedFailureLog::well(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = troubles_.find(peer);
  if (known == troubles_.end()) return std::nullopt;
  const std::uint64_t tries = known->second.tries;
  troubles_.erase(known);
  return tries;
}

}  // namespace xbind
