// Decides when to log a failure that repeats.
//
// A peer that is unavailable is retried once or many times a second, for hours. The first failure
// and each new cause are logged at once. The same cause is logged again after 10 s, then after 20
// s, 40 s and so on, up to every 10 minutes, with the number of tries. The recovery of the peer is
// logged once, if any failure was logged before.
//
// Bounded: kPeersMax peers (a further peer is logged once and not stored) and kCausesMax causes of
// each peer (further ones count as the last). Pure: the caller passes the time. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/timers.hpp"

namespace xbind {

class RepeatedFailureLog {
 public:
  static constexpr Duration kFirstPause = kCoreTimers["complaint-pause-min"];
  static constexpr Duration kLongestPause = kCoreTimers["complaint-pause-max"];
  static constexpr std::size_t kPeersMax = 10'000;
  static constexpr std::size_t kCausesMax = 8;

  // Returns the text to log, "CAUSE" or "CAUSE; 12 tries failed in 30 s"; nullopt: too soon.
  std::optional<std::string> failed(const std::string& peer, const std::string& cause,
                                    TimePoint now);
  // Ends the trouble. Returns how many tries had failed; nullopt when there was no trouble.
  std::optional<std::uint64_t> well(const std::string& peer);

  // The present trouble with a peer; nullopt: there is none.
  struct Failing {
    std::string cause;  // of the last try
    TimePoint last;     // when it failed
  };
  std::optional<Failing> failing(const std::string& peer) const;

 private:
  struct Trouble {
    std::vector<std::string> causes;  // already logged
    TimePoint since;
    TimePoint say_again;
    Duration pause;
    std::uint64_t tries = 0;
    Failing latest{};
  };

  mutable std::mutex mutex_;
  std::map<std::string, Trouble, std::less<>> troubles_;  // by peer
};

}  // namespace xbind
