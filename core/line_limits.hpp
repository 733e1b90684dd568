// Bounds how often something is logged, whatever peers do. Both classes are pure: the caller passes
// the time. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "core/timers.hpp"

namespace xbind {

// For something that a peer may cause any number of times: it is logged at once, and then at most
// once a minute, with the number of times. Stores kKeysMax keys; further ones share one.
class MinuteLog {
 public:
  static constexpr Duration kPause = kCoreTimers["peer-fault-pause"];
  static constexpr std::size_t kKeysMax = 1'000;

  // Counts one occurrence. Returns how many there were since the last line, this one included, if a
  // line is due; else nullopt. `key`: the cause and the peer.
  std::optional<std::uint64_t> noted(std::string_view key, TimePoint now) {
    const std::lock_guard lock(mutex_);
    auto known = keys_.find(key);
    if (known == keys_.end()) {
      if (keys_.size() >= kKeysMax) {
        std::erase_if(keys_, [&](const auto& one) { return now - one.second.logged >= kPause; });
      }
      const std::string_view stored = keys_.size() < kKeysMax ? key : std::string_view{};
      known = keys_.try_emplace(std::string{stored}, Key{now - kPause, 0}).first;
    }
    Key& it = known->second;
    ++it.unlogged;
    if (now - it.logged < kPause) return std::nullopt;
    it.logged = now;
    return std::exchange(it.unlogged, 0);
  }

 private:
  struct Key {
    TimePoint logged;
    std::uint64_t unlogged = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Key, std::less<>> keys_;
};

// For all lines of a log, by the text of their call sites: kBurst lines of one text, and then one a
// second on average.
class LineLimit {
 public:
  static constexpr std::uint64_t kBurst = 1'000;
  static constexpr Duration kPerLine = kCoreTimers["log-line-pause"];

  // nullopt: the line is to be left out. Else the number of lines of this text that were left out
  // since the last one that was not. `text` lives as long as the program.
  std::optional<std::uint64_t> admit(const void* text, TimePoint now) {
    const std::lock_guard lock(mutex_);
    Text& it = texts_.try_emplace(text, Text{now, kBurst, 0}).first->second;
    const auto earned = static_cast<std::uint64_t>(
        std::max<Duration::rep>((now - it.counted).count() / kPerLine.count(), 0));
    it.counted += earned * kPerLine;
    it.left = std::min(it.left + earned, kBurst);
    if (it.left == 0) {
      ++it.omitted;
      return std::nullopt;
    }
    --it.left;
    return std::exchange(it.omitted, 0);
  }

 private:
  struct Text {
    TimePoint counted;
    std::uint64_t left;
    std::uint64_t omitted;
  };

  std::mutex mutex_;
  std::map<const void*, Text> texts_;  // as many as there are call sites
};

}  // namespace xbind
