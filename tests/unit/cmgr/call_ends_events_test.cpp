// Each end of a call is one event, also an end that its client has not asked for.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallEndsEventsTest : public ExchangeTest {
 protected:
  // Kinds and texts of what has happened to the call since the last look, that it has begun left
  // out.
  std::vector<std::string> happened(ConnectionId call) {
    finish();
    std::vector<std::string> all;
    const EventPage page = manager().calls_after(seen_, 1'000, {now, 0});
    seen_ = page.newest;
    for (const xbind::Event& event : page.events) {
      if (event.connection != call || event.kind == EventKind::kConnected) continue;
      if (event.kind == EventKind::kHeld) continue;
      std::string words{to_string(event.kind)};
      if (event.kind == EventKind::kEnded) words += ": " + event.object + ", " + event.text;
      all.push_back(words);
    }
    return all;
  }
  ConnectionId held(std::uint32_t ms) {
    hold(1, ms);
    for (const char* name : {"sw1", "sw2", "sw3"}) {
      const HopSetup reserve = setup(name);
      answer(name, {done(reserve, reserve.output_label)});
    }
    return outcome().connection;
  }
  void release_by(EndWhy why, ConnectionId call) {
    manager().release_local(RequestId{77}, call, now, why);
    finish();
    answer_all_switches();
  }
  std::uint64_t seen_ = 0;
};

TEST_F(CallEndsEventsTest, ARelease) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  answer_all_switches();
  EXPECT_THAT(happened(call), ElementsAre("released"));
}

TEST_F(CallEndsEventsTest, AHoldThatExpires) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1'000);
  wait(milliseconds{1'100});
  answer_all_switches();
  EXPECT_THAT(happened(call), ElementsAre("ended: mia, the hold was not committed in time"));
}

TEST_F(CallEndsEventsTest, AHoldThatAnOperatorEnds) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(60'000);
  EXPECT_FALSE(manager().end_by_force(call, now).stands);
  EXPECT_THAT(happened(call), ElementsAre("ended: mia, an operator has ended it by force"));
}

TEST_F(CallEndsEventsTest, ACallThatAnOperatorEnds) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  EXPECT_TRUE(manager().end_by_force(call, now).stands);
  EXPECT_THAT(happened(call), IsEmpty()) << "it stands until it is released";
  release_by(EndWhy::kByForce, call);
  EXPECT_THAT(happened(call), ElementsAre("ended: mia, an operator has ended it by force"));
}

TEST_F(CallEndsEventsTest, ACallWhoseTwoWayCallerHasGone) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release_by(EndWhy::kAbandoned, call);
  EXPECT_THAT(happened(call),
              ElementsAre("ended: mia, its two-way caller was gone before it was set up"));
}

}  // namespace
}  // namespace xbind::cmgr
