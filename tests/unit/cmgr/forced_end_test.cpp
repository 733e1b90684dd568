// Calls that are ended by force, by an operator or because no timer has ended them.
#include "exchange.hpp"

#include "cmgr/procedures/timers.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ForcedEndTest : public ExchangeTest {
 protected:
  ConnectionManager::ForcedEnd end(ConnectionId id) {
    const auto ended = manager().end_by_force(id, now);
    finish();
    return ended;
  }
  ConnectionId only_call() { return manager().list(ConnectionId{}, 10).at(0); }
};

TEST_F(ForcedEndTest, ACallBeingSetUpIsRefusedAndOwedAtItsSwitches) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const auto ended = end(only_call());
  EXPECT_TRUE(ended.stood);
  EXPECT_FALSE(ended.stands);
  EXPECT_EQ(ended.owed, 3U);
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  EXPECT_THAT(manager().list(ConnectionId{}, 10), IsEmpty());
}

TEST_F(ForcedEndTest, NoOtherRouteIsTried) {
  config.crankbacks = 8;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  end(only_call());
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
}

TEST_F(ForcedEndTest, AReleaseThatASwitchDoesNotAnswerIsAnsweredAtOnce) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  all_done("sw1");
  all_done("sw3");
  const auto ended = end(call);
  EXPECT_FALSE(ended.stands);
  EXPECT_EQ(ended.owed, 1U);
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.owed.removals, 1U);
}

TEST_F(ForcedEndTest, ACallThatIsUpStaysUntilItIsReleased) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  const auto ended = end(call);
  EXPECT_TRUE(ended.stands);
  EXPECT_EQ(ended.owed, 0U);
  release(2, call);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
}

TEST_F(ForcedEndTest, AHoldExpires) {
  start_with_labels({vci(32)}, {vci(40)});
  hold(1, 60'000);
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const HopSetup reserve = setup(name);
    answer(name, {done(reserve, reserve.output_label)});
  }
  const ConnectionId held = outcome().connection;
  EXPECT_FALSE(end(held).stands);
  EXPECT_EQ(manager().gauges().owed, 3U);
  EXPECT_EQ(manager().counters().holds_expired, 1U);
}

TEST_F(ForcedEndTest, AnUnknownIdNeverStood) {
  start();
  EXPECT_FALSE(end(ConnectionId{12}).stood);
}

// ===== nothing waits for ever =====

TEST(StuckProcedures, OneThatLivesThroughAWholePeriodIsFoundAndAYoungerOneIsNot) {
  const Config config;
  ProcedureTimers timers(config);
  const TimePoint start{};
  AgeHook old;
  AgeHook young;
  std::vector<const AgeHook*> found;
  const auto look = [&](TimePoint now) {
    found.clear();
    timers.find_stuck(now, [&](const AgeHook& hook) { found.push_back(&hook); });
    timers.watch(now);
    return found;
  };
  timers.begun(old);
  EXPECT_THAT(look(start), IsEmpty());
  const Duration period = timers.stuck_after();
  EXPECT_EQ(timers.next_deadline(), start + period);
  EXPECT_THAT(look(start + period), IsEmpty()) << "it has begun within this period";
  timers.begun(young);
  EXPECT_THAT(look(start + 2 * period), ElementsAre(&old));
  old.unlink();
  young.unlink();
  look(start + 3 * period);
  EXPECT_EQ(timers.next_deadline(), kNever) << "there is nothing to look at";
}

TEST(StuckProcedures, ThePeriodIsLongerThanEveryTryOfACall) {
  Config config;
  config.crankbacks = 8;
  const ProcedureTimers timers(config);
  EXPECT_GT(timers.stuck_after(), (config.route_timer + config.hop_timer) +
                                      8 * (2 * config.hop_timer + config.undo_timer));
}

}  // namespace
}  // namespace xbind::cmgr
