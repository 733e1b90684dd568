// The switch desk: what keeps a switch, and when it wants to run. The manager around it is only the
// fixture.
#include "cmgr/parts/switch_desk.hpp"

#include "cmgr/parts/call_traces.hpp"
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SwitchDeskTest : public ExchangeTest {
 protected:
  static constexpr HopKey kHop{ConnectionId{5}, Generation{1}, 0, 0};

  SwitchDeskTest() { at_ = desk_.index_of("sw9").value(); }
  void attach_desk(std::uint32_t window = 256) {
    desk_.attached(at_, SessionId{900}, window, {}, now);
  }

  CallTimes times_;
  CallTraces traces_{{}};
  SwitchDesk desk_{config, *this, times_, traces_};
  SwitchIndex at_;
};

TEST_F(SwitchDeskTest, ASwitchWithNothingOwedIsLetGoOf) {
  attach_desk();
  EXPECT_TRUE(desk_.let_go(at_));
  EXPECT_THAT(let_go, ElementsAre("sw9"));
}

// The ledger would keep the old contract.
TEST_F(SwitchDeskTest, ASwitchThatIsOwedAChangeIsKept) {
  desk_.debts().owe_change(at_, {kHop, 1, {50, 5}, {}, {}}, now);
  EXPECT_FALSE(desk_.let_go(at_));
  attach_desk();
  EXPECT_FALSE(desk_.let_go(at_)) << "the change is on its way";
  HopResult confirmed = done(kHop, HopAction::kModify);
  confirmed.revision = 1;
  EXPECT_TRUE(desk_.debts().change_answered(at_, confirmed, now));
  EXPECT_FALSE(desk_.debts().owes_change(at_, kHop));
}

TEST_F(SwitchDeskTest, ASwitchIsLetGoOfOnceAChangeIsForgiven) {
  desk_.debts().owe_change(at_, {kHop, 1, {50, 5}, {}, {}}, now);
  desk_.debts().forgive_change(at_, kHop);
  EXPECT_TRUE(desk_.let_go(at_));
}

TEST_F(SwitchDeskTest, ASwitchThatIsOwedARemovalIsKept) {
  desk_.debts().owe(at_, kHop, {{PortId{1}, vci(32), PortId{2}, vci(33)}, 1, true, false, {}}, now);
  EXPECT_FALSE(desk_.let_go(at_));
  EXPECT_TRUE(desk_.debts().pay(at_, kHop, {}, now));
  EXPECT_TRUE(desk_.let_go(at_));
}

TEST_F(SwitchDeskTest, ACommandThatIsQueuedOrUnconfirmedKeepsTheSwitch) {
  Aggregation settings = config.aggregation;
  settings.threshold = 10;
  ASSERT_TRUE(desk_.queues().aggregation().set(settings).has_value());
  attach_desk();
  desk_.queues().queue(at_, kHop, kNotTimed, now);
  EXPECT_FALSE(desk_.let_go(at_));
  desk_.queues().flush_all(now);
  EXPECT_FALSE(desk_.let_go(at_)) << "it is not confirmed";
}

// ===== a slow SwitchServer =====

// The batch waits for a confirmation, not for the clock.
TEST_F(SwitchDeskTest, WithoutCreditAFullQueueWantsNoStep) {
  attach_desk(1);
  desk_.queues().queue(at_, kHop, kNotTimed, now);
  desk_.queues().queue(at_, {ConnectionId{6}, Generation{1}, 0, 0}, kNotTimed, now);
  desk_.queues().flush(now);
  EXPECT_GT(desk_.next_deadline(), now + config.aggregation.flush_timeout);
}

class SlowSwitchTest : public ExchangeTest {};

// Each step of the fixture checks that the manager has a deadline in the future.
TEST_F(SlowSwitchTest, WhileASwitchServerConfirmsNothingTheManagerSleeps) {
  config.label_cache_target = 8;
  start();
  for (const char* name : {"sw1", "sw3"}) attach(name);
  attach("sw2", {}, 1);
  log_in("mia");
  learn_route();
  answer("sw1", {}, {{PortId{10}, {vci(32), vci(33), vci(34)}}});
  answer("sw2", {}, {{PortId{21}, {vci(40), vci(41), vci(42)}}});
  switches_["sw2"].deaf = true;
  for (std::uint64_t request = 1; request <= 3; ++request) connect(request);
  EXPECT_GT(manager().next_deadline(), now + config.aggregation.flush_timeout);
  wait(seconds{1});
  switches_["sw2"].deaf = false;
  for (int i = 0; i < 10; ++i) {
    wait(seconds{1});
    answer_all_switches();
  }
  EXPECT_EQ(reported().size(), 3U) << "each request has its outcome";
}

}  // namespace
}  // namespace xbind::cmgr
