// Decides when trouble that repeats is worth another line in the log.
//
// A peer that stays away is tried again many times a second or once a second, for hours. The first
// failure is said at once, and so is each new cause. The same cause again is said 10 s later, then
// after 20 s, 40 s and so on up to every 10 minutes, with the number of tries. When the peer is
// well again, that is said once, if there was anything said before.
//
// Bounded: kPeersMax peers (a new one beyond them is said once and not remembered) and kCausesMax
// causes of each (further ones count as the last). Pure: the time is handed in. Thread-safe.
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

class Complaints {
 public:
  static constexpr Duration kFirstPause = kCoreTimers["complaint-pause-min"];
  static constexpr Duration kLongestPause = kCoreTimers["complaint-pause-max"];
  static constexpr std::size_t kPeersMax = 10'000;
  static constexpr std::size_t kCausesMax = 8;

  // What to log, "CAUSE", or "CAUSE; 12 tries failed in 30 s"; nothing while it is too soon.
  std::optional<std::string> failed(const std::string& peer, const std::string& cause,
                                    TimePoint now);
  // Ends the trouble. Nothing when there was none; else how many tries failed before.
  std::optional<std::uint64_t> well(const std::string& peer);

 private:
  struct Trouble {
    std::vector<std::string> causes;  // said already
    TimePoint since;
    TimePoint say_again;
    Duration pause;
    std::uint64_t tries = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Trouble, std::less<>> troubles_;  // by peer
};

}  // namespace xbind
