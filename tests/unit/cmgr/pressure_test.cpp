// More requests than may be under way: which one begins next, and which are turned
// away. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PressureTest : public ExchangeTest {
 protected:
  // The limit is one request at a time; mia's call 1 is up, call 2 is under way.
  ConnectionId start_busy() {
    config.operations_at_once = 1;
    config.label_cache_target = 8;
    start_with_labels({vci(32), vci(33), vci(34), vci(35), vci(36), vci(37)},
                      {vci(40), vci(41), vci(42), vci(43), vci(44), vci(45)});
    const ConnectionId up = connected(1);
    connect(2);
    return up;
  }
  void connect_urgently(std::uint64_t request, std::uint8_t priority) {
    ConnectRequest urgent = call(request);
    urgent.priority = priority;
    ask("mia", {{urgent}, {}});
  }
  // Completes the setup that sw1 receives next at every switch; returns its request number.
  std::uint64_t next_setup() {
    const std::uint64_t request = setup("sw1").request.value();
    const HopBatch rest = take("sw2");
    EXPECT_THAT(rest.setups, SizeIs(1));
    const auto key = [&](std::uint16_t hop) {
      HopKey it = rest.setups.at(0).key;
      it.hop = hop;
      return it;
    };
    take("sw3");
    answer("sw2", {done(key(1), HopAction::kCommit)});
    answer("sw3", {done(key(2), HopAction::kCommit)});
    answer("sw1", {done(key(0), HopAction::kCommit)});
    EXPECT_EQ(outcome().request, RequestId{request});
    return request;
  }
};

TEST_F(PressureTest, ReleasesGoFirstThenCallsByPriorityThenByAge) {
  const ConnectionId up = start_busy();
  connect_urgently(3, 0);
  connect_urgently(4, 5);
  connect_urgently(5, 5);
  connect_urgently(6, kPriorityMax);
  release(7, up);
  EXPECT_EQ(manager().counters().waited, 5U);
  EXPECT_EQ(next_setup(), 2U);
  const HopRemoval one = removal("sw1");
  EXPECT_EQ(one.key.connection, up);
  answer("sw1", {removed(one)});
  all_done("sw2");
  EXPECT_THAT(reported(), IsEmpty());
  all_done("sw3");
  EXPECT_EQ(outcome().request, RequestId{7});
  EXPECT_EQ(next_setup(), 6U);
  EXPECT_EQ(next_setup(), 4U);
  EXPECT_EQ(next_setup(), 5U);
  EXPECT_EQ(next_setup(), 3U);
  EXPECT_EQ(manager().gauges().under_way, 0U);
}

TEST_F(PressureTest, ARequestThatWaitsIsBegunBeforeOneThatComesAsRoomIsMade) {
  start_busy();
  connect(3);
  // cmgr <-- sw1, sw2, sw3: committed. In the same step call 2 is answered and
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    SwitchSide& side = switches_.at(name);
    const auto results = side.link->send({all_done(take(name)), {}}, 100, now);
    manager().on_results(side.session, results, now);
  }
  // mia --> cmgr: connect 4
  connect(4);
  EXPECT_EQ(outcome().request, RequestId{2});
  EXPECT_EQ(next_setup(), 3U);
  EXPECT_EQ(next_setup(), 4U);
}

TEST_F(PressureTest, TheBoundedQueueGivesUpWhatIsLeastUrgent) {
  config.operations_waiting = 2;
  const ConnectionId up = start_busy();
  connect_urgently(3, 1);
  connect_urgently(4, 0);
  EXPECT_THAT(reported(), IsEmpty());
  // A more urgent request replaces the least urgent one.
  connect_urgently(5, 3);
  const Outcome given_up = outcome();
  EXPECT_EQ(given_up.request, RequestId{4});
  EXPECT_EQ(given_up.kind, OutcomeKind::kBusy);
  EXPECT_EQ(explain(given_up), "busy at requests waiting; try again in 1500 ms");
  // A request that is no more urgent than any waiting one is itself turned away.
  connect_urgently(6, 1);
  EXPECT_EQ(outcome().request, RequestId{6});
  // A release frees resources: it takes precedence over every call.
  release(7, up);
  EXPECT_EQ(outcome().request, RequestId{3});
  EXPECT_EQ(manager().counters().busy, 3U);
  EXPECT_EQ(manager().counters().setups, 2U) << "those turned away were not begun";
}

TEST_F(PressureTest, WhatHasWaitedTooLongIsBusy) {
  config.hop_timer = seconds{30};
  start_busy();
  connect_urgently(3, 7);
  wait(milliseconds{100});
  connect_urgently(4, 0);
  wait(config.queue_timer - milliseconds{101});
  EXPECT_THAT(reported(), IsEmpty());
  wait(milliseconds{1});
  const Outcome late = outcome();
  EXPECT_EQ(late.request, RequestId{3}) << "however urgent";
  EXPECT_EQ(late.kind, OutcomeKind::kBusy);
  wait(milliseconds{100});
  EXPECT_EQ(outcome().request, RequestId{4});
  EXPECT_EQ(manager().gauges().under_way, 1U);
  EXPECT_EQ(next_setup(), 2U);
  EXPECT_TRUE(silent("sw1")) << "nothing waits any more";
}

TEST_F(PressureTest, ARequestTurnedAwayMayBeAskedAgainInANewSession) {
  config.operations_waiting = 0;
  start_busy();
  connect(3);
  EXPECT_EQ(outcome().kind, OutcomeKind::kBusy);
  wait(milliseconds{50});  // mia --> cmgr: confirmed
  next_setup();
  connect(3);
  EXPECT_EQ(next_setup(), 3U);
}

TEST_F(PressureTest, ARequestThatWaitsIsNotTakenTwice) {
  start_busy();
  connect(3);
  log_in("mia");
  connect(2);
  connect(3);
  EXPECT_EQ(manager().client_counters().repeated_requests, 2U);
  EXPECT_EQ(next_setup(), 2U);
  EXPECT_EQ(next_setup(), 3U);
  EXPECT_TRUE(silent("sw1"));
}

TEST_F(PressureTest, APriorityBeyondTheHighestIsRefused) {
  attach_all();
  connect_urgently(1, kPriorityMax + 1);
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kInvalidRequest);
  EXPECT_EQ(refusal.asked, kPriorityMax + 1U);
  EXPECT_EQ(refusal.free, kPriorityMax);
}

}  // namespace
}  // namespace xbind::cmgr
