#include "core/durations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/config/timer_option.hpp"

namespace xbind {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Timers kTrial{"trial",
                        {{"retry", 1500ms, "Pause before another try."},
                         {"hop-timer-ms", 3s, "Milliseconds for a hop.", TimerSource::kOption},
                         {"flush-ms", 50us, "Milliseconds to gather.", TimerSource::kOption},
                         {"wait-us", 2ms, "Microseconds to wait.", TimerSource::kOption},
                         {"foreign-ms", 7ms, "Milliseconds elsewhere.", TimerSource::kOption}}};

static_assert(kTrial["retry"] == 1500ms);
static_assert(kTrial.ms("hop-timer-ms").count() == 3'000);
static_assert(kTrial.row("wait-us").guards == "Microseconds to wait.");

std::string printed(const config::OptionSet& declared, const char* option) {
  config::OptionSet set = declared;
  const char* argv[] = {"trial", option};
  const auto exit = set.load(2, argv, [](const std::string&) { return std::nullopt; });
  return exit && exit->code == 0 ? exit->text : "refused";
}

TEST(DurationsTest, TextHasTheLargestUnitInWhichTheNumberIsWhole) {
  EXPECT_EQ(duration_text(0ns), "0 s");
  EXPECT_EQ(duration_text(1ns), "1 ns");
  EXPECT_EQ(duration_text(50us), "50 us");
  EXPECT_EQ(duration_text(1500ms), "1500 ms");
  EXPECT_EQ(duration_text(15s), "15 s");
  EXPECT_EQ(duration_text(90s), "90 s");
  EXPECT_EQ(duration_text(10min), "10 min");
  EXPECT_EQ(duration_text(1h), "1 h");
}

class TimerOptions : public ::testing::Test {
 protected:
  TimerOptions() {
    set.add_timers(kTrial);
    config::add_timer(set, kTrial.row("hop-timer-ms"), &hop_timer_ms, {10, 60'000});
    config::add_timer(set, kTrial.row("flush-ms"), &flush_ms, {0.05, 10});
    config::add_timer(set, kTrial.row("wait-us"), &wait_us, {0, 10'000});
  }

  config::OptionSet set{"xbind-trial", "Tries timers."};
  std::uint32_t hop_timer_ms = 0;
  double flush_ms = 0;
  std::uint32_t wait_us = 0;
};

TEST_F(TimerOptions, DefaultsComeFromTheTableInTheUnitOfTheName) {
  EXPECT_EQ(hop_timer_ms, 3'000u);
  EXPECT_DOUBLE_EQ(flush_ms, 0.05);
  EXPECT_EQ(wait_us, 2'000u);
  EXPECT_THAT(printed(set, "--print-options"),
              HasSubstr("| `--hop-timer-ms` | `3000` | 10 to 60000 | Milliseconds for a hop. |"));
}

TEST_F(TimerOptions, HelpListsFixedTimersAndOwnOptionsButNoOptionOfAnotherProgram) {
  const std::string help = printed(set, "--help");
  EXPECT_THAT(help,
              HasSubstr("Timers, fixed where no option sets them:\n"
                        "  trial\n"
                        "    retry                         1500 ms Pause before another try.\n"
                        "    --hop-timer-ms                3 s\n"
                        "    --flush-ms                    50 us\n"
                        "    --wait-us                     2 ms\n"));
  EXPECT_THAT(help, Not(HasSubstr("foreign-ms")));
}

TEST_F(TimerOptions, PrintTimersWritesAMarkdownTable) {
  EXPECT_EQ(printed(set, "--print-timers"),
            "## xbind-trial\n\n"
            "| room | timer | default | option | guards |\n| --- | --- | --- | --- | --- |\n"
            "| trial | retry | 1500 ms |  | Pause before another try. |\n"
            "| trial | hop-timer-ms | 3 s | `--hop-timer-ms` | Milliseconds for a hop. |\n"
            "| trial | flush-ms | 50 us | `--flush-ms` | Milliseconds to gather. |\n"
            "| trial | wait-us | 2 ms | `--wait-us` | Microseconds to wait. |\n");
}

TEST(DurationsTest, AProgramMayHaveADefaultOfItsOwn) {
  config::OptionSet set("xbind-trial", "Tries timers.");
  std::uint32_t hop_timer_ms = 0;
  set.add_timers(kTrial);
  set.add_uint("hop-timer-ms", &hop_timer_ms, 15'000, {10, 60'000}, "Milliseconds for a hop.");
  EXPECT_THAT(printed(set, "--print-timers"),
              HasSubstr("| trial | hop-timer-ms | 15 s | `--hop-timer-ms` |"));
}

TEST(DurationsTest, AProgramWithoutTimersPrintsNone) {
  config::OptionSet set("xbind-trial", "Tries timers.");
  EXPECT_THAT(printed(set, "--help"), Not(HasSubstr("Timers")));
}

}  // namespace
}  // namespace xbind
