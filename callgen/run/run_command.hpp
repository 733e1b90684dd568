// What an operator can ask of a run while it goes on: by a key, or by a line of words.
//
//   key  words           effect
//   +    faster [N]      N calls/s more; default: a step
//   -    slower [N]      N calls/s less
//   *                    ten steps more
//   /                    ten steps less
//        rate N          N calls/s
//   p    pause, resume   holds calls back, or goes on; the key does either
//   q    quit            offers no further call; the calls that are up live on. Again: releases
//                        them at once
//        status          changes nothing; answers what is offered now
//
// The keys are words, too. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "callgen/run/offer.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct RunCommand {
  enum class What : std::uint8_t {
    kRate,    // `value` calls/s
    kFaster,  // by `value` calls/s, which may be negative
    kPause,
    kResume,
    kPauseOrResume,
    kQuit,
    kStatus,
  };
  What what = What::kStatus;
  double value = 0;

  friend bool operator==(const RunCommand&, const RunCommand&) = default;
};

// Longest line of words, in octets.
inline constexpr std::size_t kCommandOctetsMax = 200;

// nullopt: no key of ours. `step`: calls/s.
std::optional<RunCommand> command_of_key(char key, double step);
// kBadInput, naming the word: unknown, too many words, or a number that is none or negative.
Result<RunCommand> parse_command(std::string_view line, double step);

// "250 calls/s at 12.3 s", "paused at 12.3 s, 250 calls/s when resumed", ...
std::string sentence_of(const OfferView& view);

}  // namespace xbind::callgen
