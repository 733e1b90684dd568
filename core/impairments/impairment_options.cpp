// The options of faults and pace, declared once for all programs.
#include "core/config/options.hpp"
#include "core/config/timer_option.hpp"
#include "core/impairments/impairments.hpp"
#include "core/timers.hpp"

namespace xbind {

void declare_faults(config::OptionSet& set, ImpairmentOptions& impairments) {
  constexpr config::DoubleBounds kFraction{0, 0.5};
  faults::FaultOptions& options = impairments.faults;
  set.add_double(
      "loss", &options.loss, 0, kFraction,
      "Fraction of the sent session messages that is dropped; for tests, off by default.");
  set.add_double(
      "duplicate", &options.duplicate, 0, kFraction,
      "Fraction of the sent session messages that is sent twice; for tests, off by default.");
  set.add_double("reorder", &options.reorder, 0, kFraction,
                 "Fraction of the sent session messages that the next one overtakes; for tests, "
                 "off by default.");
  set.add_double(
      "delay", &options.delay, 0, kFraction,
      "Fraction of the sent session messages that is delayed; for tests, off by default.");
  config::add_timer(set, kCoreTimers.row("delay-ms"), &options.delay_ms_max, {1, 10'000});
  set.add_strings("fault-legs", &options.legs,
                  "Where these faults happen: client_to_manager, manager_to_client, "
                  "manager_to_switch, switch_to_manager; not given, on each of them.");
  set.add_check([&options]() -> std::optional<std::string> {
    const auto fault = options.legs_fault();
    if (!fault) return std::nullopt;
    return "fault-legs: " + *fault;
  });
  set.add_uint(
      "fault-seed", &options.seed, 1, {},
      "The same seed makes the same choices for --loss, --duplicate, --reorder and --delay.");
}

void declare_pace(config::OptionSet& set, ImpairmentOptions& impairments) {
  constexpr config::DoubleBounds kMicroseconds{0, 1'000'000};
  PaceOptions& options = impairments.pace;
  config::add_timer(set, kCoreTimers.row("pace-message-us"), &options.message_us, kMicroseconds);
  config::add_timer(set, kCoreTimers.row("pace-item-us"), &options.item_us, kMicroseconds);
  set.add_double("pace-before-leaving", &options.before_leaving, 1, {0, 1},
                 "Share of these times that a sent message waits; the rest keeps the process busy "
                 "afterwards.");
  set.add_double("pace-pause-chance", &options.pause_chance, 0, {0, 1},
                 "Chance of a pause with each message of a call taken; for experiments.");
  config::add_timer(set, kCoreTimers.row("pace-pause-us"), &options.pause_mean_us, kMicroseconds);
  set.add_uint("pace-seed", &options.seed, 1, {}, "The same seed draws the same pauses.");
}

}  // namespace xbind
