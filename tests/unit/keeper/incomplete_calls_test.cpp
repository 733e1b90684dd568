// Calls of which the manager does not know all hops: no second ones are set up.
#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

using IncompleteCallsTest = World;

TEST_F(IncompleteCallsTest, AnIncompleteCallIsNotSetUpASecondTime) {
  start({wanted("east")});
  attach();
  settle();
  keeper->detached();
  pass(kSecond);
  calls[0].state = CallState::kIncomplete;
  calls[0].lacks = "switch-2";
  attach();
  look();
  EXPECT_EQ(entry(0).calls[0].state, CallState::kIncomplete);
  EXPECT_EQ(entry(0).calls[0].lacks, "switch-2");
  for (int i = 0; i < 100; ++i) next_look();
  EXPECT_EQ(setups(), 0U);
  keeper->noticed({.connection = ConnectionId{1}, .kind = NoticeKind::kMended}, now);
  EXPECT_EQ(up(), 1U);
  EXPECT_EQ(entry(0).calls[0].lacks, "");
}

TEST_F(IncompleteCallsTest, AKeeperThatStartsFindsItsIncompleteCall) {
  start({wanted("east")});
  attach();
  settle();
  calls[0].state = CallState::kIncomplete;
  calls[0].lacks = "switch-2";
  start({wanted("east")}, 50);
  attach();
  look();
  EXPECT_EQ(setups(), 0U);
  EXPECT_EQ(entry(0).calls[0].state, CallState::kIncomplete);
  calls.clear();  // it was released
  next_look();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(IncompleteCallsTest, ANoticeMakesACallIncomplete) {
  start({wanted("east")});
  attach();
  settle();
  keeper->noticed({.connection = ConnectionId{1},
                   .kind = NoticeKind::kIncomplete,
                   .cause = Cause::kIncomplete,
                   .element = "switch-2"},
                  now);
  EXPECT_EQ(entry(0).calls[0].state, CallState::kIncomplete);
  EXPECT_EQ(entry(0).calls[0].lacks, "switch-2");
  EXPECT_EQ(setups(), 0U);
}

TEST_F(IncompleteCallsTest, ASetupThatMadeAnIncompleteCallIsNotTriedAgain) {
  start({wanted("east")});
  attach();
  look();
  ASSERT_EQ(setups(), 1U);
  Outcome busy = carry_out();  // and the manager ended before its answer
  busy.kind = OutcomeKind::kBusy;
  busy.cause = Cause::kBusy;
  busy.element = "switch-2";
  calls[0].state = CallState::kIncomplete;
  calls[0].lacks = "switch-2";
  send(busy);
  for (int i = 0; i < 100; ++i) next_look();
  EXPECT_EQ(setups(), 0U);
  EXPECT_EQ(entry(0).calls[0].state, CallState::kIncomplete);
}

}  // namespace
}  // namespace xbind::keeper
