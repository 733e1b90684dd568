#include "core/pace_options.hpp"

namespace xbind {

void declare_pace_options(config::OptionSet& set, PaceOptions& options) {
  constexpr config::DoubleBounds kMicroseconds{0, 1'000'000};
  set.add_double(
      "pace-message-us", &options.message_us, 0, kMicroseconds,
      "Microseconds that this process waits for each message of a call that it takes or sends, one "
      "after another, as a slower host would need; for experiments, off by default.");
  set.add_double("pace-item-us", &options.item_us, 0, kMicroseconds,
                 "The same for each request, command, result or outcome in such a message.");
  set.add_double(
      "pace-before-leaving", &options.before_leaving, 1, {0, 1},
      "Share of these times by which a message that is sent is held back; for the rest the "
      "process is busy when it has left.");
  set.add_double("pace-pause-chance", &options.pause_chance, 0, {0, 1},
                 "Chance of a pause with each message of a call taken; for experiments.");
  set.add_double("pace-pause-us", &options.pause_mean_us, 0, kMicroseconds,
                 "Microseconds of such a pause, on average; they vary exponentially.");
  set.add_uint("pace-seed", &options.seed, 1, {}, "The same seed draws the same pauses.");
}

}  // namespace xbind
