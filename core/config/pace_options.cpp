#include "core/config/pace_options.hpp"

#include "core/config/timer_option.hpp"
#include "core/timers.hpp"

namespace xbind {

void declare_pace_options(config::OptionSet& set, PaceOptions& options) {
  constexpr config::DoubleBounds kMicroseconds{0, 1'000'000};
  config::add_timer(set, kCoreTimers.row("pace-message-us"), &options.message_us, kMicroseconds);
  config::add_timer(set, kCoreTimers.row("pace-item-us"), &options.item_us, kMicroseconds);
  set.add_double(
      "pace-before-leaving", &options.before_leaving, 1, {0, 1},
      "Share of these times by which a message that is sent is held back; for the rest the "
      "process is busy when it has left.");
  set.add_double("pace-pause-chance", &options.pause_chance, 0, {0, 1},
                 "Chance of a pause with each message of a call taken; for experiments.");
  config::add_timer(set, kCoreTimers.row("pace-pause-us"), &options.pause_mean_us, kMicroseconds);
  set.add_uint("pace-seed", &options.seed, 1, {}, "The same seed draws the same pauses.");
}

}  // namespace xbind
