// Lists that were read before the last events, and waits that outlive a session or a file.
#include "keeper/keeper.hpp"
#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A second call like the first one, as an operator might have set it up.
class OldListTest : public World {
 protected:
  static constexpr ConnectionId kSecondCall{99};

  // One call is wanted and two are there: the release of the second one is sent, and the next look
  // has begun.
  void release_one_of_two() {
    start({wanted("east")});
    attach();
    settle();
    calls.push_back(calls[0]);
    calls[1].connection = kSecondCall;
    next_look();
    ASSERT_THAT(released(), ElementsAre(kSecondCall));
    pass(limits.check);
    ASSERT_TRUE(looking);
  }
};

TEST_F(OldListTest, AReleasedCallInAnOldListIsNotReleasedAgain) {
  release_one_of_two();
  const std::vector<ListedCall> older = calls;
  answer();
  look_with(older);
  EXPECT_THAT(asked, IsEmpty());
  next_look();
  EXPECT_THAT(asked, IsEmpty());
  EXPECT_EQ(up(), 1U);
}

TEST_F(OldListTest, AReleasedCallInAnOldListTakesNoPlace) {
  release_one_of_two();
  std::vector<ListedCall> older = calls;
  answer();
  older.erase(older.begin());  // the first call ended before the list was read
  calls.clear();
  look_with(older);
  EXPECT_EQ(up(), 0U) << "the second call was released after the look had begun";
  EXPECT_EQ(setups(), 1U);
}

TEST_F(OldListTest, ACallIsNotReleasedTwiceWhileItsReleaseIsUnanswered) {
  release_one_of_two();
  look();
  EXPECT_THAT(released(), ElementsAre(kSecondCall));
}

TEST_F(OldListTest, ANoticeIsNewerThanTheListOfALookThatHadBegun) {
  start({wanted("east")});
  attach();
  settle();
  pass(limits.check);
  ASSERT_TRUE(looking);
  keeper->noticed({.connection = ConnectionId{1}, .kind = NoticeKind::kBroken}, now);
  step();
  look();  // the list says that the call is up
  EXPECT_EQ(entry(0).calls[0].state, CallState::kBroken);
  calls[0].state = CallState::kBroken;
  pass(kSecond);
  ASSERT_TRUE(looking) << "the notice causes another look";
  keeper->noticed({.connection = ConnectionId{1}, .kind = NoticeKind::kMended}, now);
  step();
  look();  // the list says that it is broken
  EXPECT_EQ(entry(0).calls[0].state, CallState::kUp);
}

TEST_F(OldListTest, AnOrphansCallIsReleasedAfterItsAnswer) {
  start({wanted("east"), wanted("west", 200)});
  attach();
  look();
  ASSERT_EQ(setups(), 2U);
  keeper->want({wanted("west", 200)}, now);
  const Outcome orphans = carry_out();
  pass(kSecond);
  look();
  EXPECT_THAT(released(), IsEmpty()) << "its setup has no answer yet";
  send(orphans);
  pass(kSecond);
  look();
  EXPECT_THAT(released(), ElementsAre(orphans.connection));
}

// ===== waits =====

TEST_F(OldListTest, ANewSessionTriesRefusedConnectionsAtOnce) {
  start({wanted("east")});
  attach();
  look();
  refuse();
  keeper->detached();
  keeper->attached(now);
  pass(kKeeperTimers["look-pause"]);
  look();
  ASSERT_LT(now, entry(0).refused_at + limits.retry.min);
  EXPECT_EQ(setups(), 1U);
}

TEST_F(OldListTest, AFileThatIsReadAgainDoesNotShortenTheWaitOfARefusedConnection) {
  limits.retry.min = 10 * kSecond;
  start({wanted("east"), wanted("west", 200)});
  attach();
  look();
  refuse();
  refuse();
  const TimePoint next = now + limits.retry.min;
  keeper->want({wanted("east"), wanted("west", 250)}, now);
  pass(kSecond);
  look();
  EXPECT_THAT(rates(), ElementsAre(250U)) << "the changed connection has not been refused";
  EXPECT_EQ(entry(0).next_try, next);
  EXPECT_EQ(entry(0).refusals, 1U);
  answer();
  now = next;
  step();
  EXPECT_THAT(rates(), ElementsAre(100U));
  refuse();
  EXPECT_EQ(entry(0).next_try, now + 2 * limits.retry.min) << "the back-off goes on";
}

TEST_F(OldListTest, WhileTheManagerReadsLedgersTheKeeperSleepsUntilItsPatienceEnds) {
  unread = 1;
  limits.check = 10 * limits.unread_patience;
  start({wanted("east")});
  attach();
  const TimePoint patience_ends = now + limits.unread_patience;
  look();
  EXPECT_EQ(keeper->next_deadline(), patience_ends);
  pass(limits.unread_patience - Duration{1});
  EXPECT_EQ(setups(), 0U);
  EXPECT_EQ(keeper->next_deadline(), patience_ends);
  pass(Duration{1});
  EXPECT_EQ(setups(), 1U);
}

}  // namespace
}  // namespace xbind::keeper
