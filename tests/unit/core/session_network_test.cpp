// Two ends of a session over a network that loses, repeats and reorders frames, driven by a seed.
// The driver wakes an end only when a frame arrives or its next_deadline() has come: a wrong
// deadline would leave the run unfinished.
#include <gtest/gtest.h>

#include <random>

#include "core/event_queue.hpp"
#include "core/session/session.hpp"

namespace xbind::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using End = Session<std::uint64_t, std::uint64_t>;

struct Weather {
  const char* name;
  int loss = 0;  // percent
  int repeat = 0;
  int delay_ms = 0;  // the maximum; frames with different delays overtake each other
  std::uint32_t window = 256;
};

class Journey {
 public:
  Journey(const Weather& weather, std::uint64_t seed)
      : weather_(weather), random_(seed), ends_{End{limits(), now_}, End{limits(), now_}} {
    for (int i = 0; i < 2; ++i) {
      ends_[i].on_confirmed([this, i](std::uint64_t word) {
        EXPECT_EQ(word, ++confirmed_[i]) << "confirmed in order";
      });
    }
  }

  // Sends `count` batches each way; returns false when no end has a deadline left.
  bool finish(std::uint64_t count) {
    for (int steps = 0; steps < 1'000'000; ++steps) {
      for (int from = 0; from < 2; ++from) {
        while (sent_[from] < count && ends_[from].has_credit()) {
          transmit(from, ends_[from].send(++sent_[from], 600, now_));
        }
      }
      if (confirmed_[0] == count && confirmed_[1] == count) return true;
      TimePoint next = std::min(ends_[0].next_deadline(), ends_[1].next_deadline());
      next = std::min(next, wire_.next());
      EXPECT_GE(next, now_) << "a deadline in the past was not dealt with";
      if (next == kNever || next < now_) return false;
      wire_.advance_to(next);
      deliver();
      wake();
      if (::testing::Test::HasFailure()) return false;
    }
    ADD_FAILURE() << "awake for ever: a deadline comes again and again";
    return false;
  }

  const End& end(int i) const { return ends_[i]; }
  std::uint64_t applied(int i) const { return applied_[i]; }
  std::uint64_t lost = 0, doubled = 0, overtaken = 0;

 private:
  Limits limits() const {
    Limits limits;
    limits.batches_in_flight = limits.batches_held_back = weather_.window;
    limits.octets_in_flight = 16 * 1024;
    limits.give_up_after = seconds{3600};
    return limits;
  }
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  void transmit(int from, Frame<std::uint64_t> frame) {
    const int copies = chance(weather_.loss) ? 0 : chance(weather_.repeat) ? 2 : 1;
    lost += copies == 0;
    doubled += copies == 2;
    for (int copy = 0; copy < copies; ++copy) {
      const auto span = static_cast<std::uint64_t>(weather_.delay_ms) * 1'000'000 + 1;
      const TimePoint at = now_ + Duration{static_cast<std::int64_t>(random_() % span)};
      overtaken += at < latest_[from];
      latest_[from] = std::max(latest_[from], at);
      wire_.schedule(at, Flight{1 - from, frame});
    }
  }

  void deliver() {
    while (const auto flight = wire_.take_due()) {
      std::vector<std::shared_ptr<const std::uint64_t>> batches;
      const auto received = ends_[flight->to].receive(flight->frame, now_, batches);
      ASSERT_TRUE(received.has_value()) << received.error().text;
      for (const auto& batch : batches) {
        ASSERT_EQ(*batch, ++applied_[flight->to]) << "exactly once, and in order";
      }
    }
  }

  void wake() {
    for (int i = 0; i < 2; ++i) {
      if (ends_[i].next_deadline() > now_) continue;
      std::vector<Frame<std::uint64_t>> frames;
      const auto ticked = ends_[i].tick(now_, frames);
      ASSERT_TRUE(ticked.has_value()) << ticked.error().text;
      for (auto& frame : frames) transmit(i, std::move(frame));
      ASSERT_GT(ends_[i].next_deadline(), now_)
          << "tick() must serve every deadline that has passed";
    }
  }

  struct Flight {
    int to;
    Frame<std::uint64_t> frame;
  };
  Weather weather_;
  std::mt19937_64 random_;
  EventQueue<Flight> wire_{TimePoint{seconds{1}}};
  const TimePoint& now_ = wire_.now();
  TimePoint latest_[2];
  End ends_[2];
  std::uint64_t sent_[2] = {0, 0};
  std::uint64_t applied_[2] = {0, 0};
  std::uint64_t confirmed_[2] = {0, 0};
};

class SessionNetworkTest : public ::testing::TestWithParam<Weather> {};

TEST_P(SessionNetworkTest, EverythingIsAppliedExactlyOnceAndInOrderBothWays) {
  const Weather& weather = GetParam();
  constexpr std::uint64_t kBatches = 400;
  std::uint64_t lost = 0, doubled = 0, overtaken = 0, resent = 0, held_back = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << weather.name << ", seed " << seed);
    Journey run(weather, seed);
    ASSERT_TRUE(run.finish(kBatches)) << "asleep, and not everything is confirmed";
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(run.applied(i), kBatches);
      EXPECT_EQ(run.end(i).counters().sent, kBatches);
      EXPECT_EQ(run.end(i).counters().applied, kBatches);
      EXPECT_EQ(run.end(i).octets_in_flight(), 0U);
      resent += run.end(i).counters().resent;
      held_back += run.end(i).counters().held_back;
    }
    lost += run.lost;
    doubled += run.doubled;
    overtaken += run.overtaken;
  }
  // The network had the faults that `weather` requests.
  EXPECT_EQ(lost > 0, weather.loss > 0);
  EXPECT_EQ(doubled > 0, weather.repeat > 0);
  EXPECT_EQ(overtaken > 0, weather.delay_ms > 0);
  const bool overtaking = weather.delay_ms > 0 && weather.window > 1;
  if (weather.loss > 0) {
    EXPECT_GT(resent, 0U);
  } else if (weather.delay_ms == 0) {
    EXPECT_EQ(resent, 0U);
  }
  EXPECT_EQ(held_back > 0, overtaking || (weather.loss > 0 && weather.window > 1));
}

INSTANTIATE_TEST_SUITE_P(
    Weathers, SessionNetworkTest,
    ::testing::Values(Weather{"fair"}, Weather{"lossy", 20}, Weather{"doubling", 0, 30},
                      Weather{"reordering", 0, 0, 50}, Weather{"slow", 0, 0, 3000},
                      Weather{"foul", 30, 20, 200}, Weather{"foul_window_1", 30, 20, 200, 1},
                      Weather{"foul_window_2", 30, 20, 200, 2},
                      Weather{"foul_window_7", 30, 20, 200, 7}),
    [](const auto& named) { return std::string{named.param.name}; });

}  // namespace
}  // namespace xbind::session
