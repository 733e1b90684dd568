#include "keeper/keeper.hpp"

#include "tests/unit/keeper/world.hpp"

namespace xbind::keeper {
namespace {

using KeeperTest = World;

// ===== missing and surplus =====

TEST_F(KeeperTest, NothingIsSetUpBeforeTheListIsRead) {
  start({wanted("east")});
  EXPECT_FALSE(looking);
  attach();
  EXPECT_TRUE(looking);
  EXPECT_TRUE(asked.empty());
  look();
  EXPECT_EQ(setups(), 1U);
  answer();
  EXPECT_EQ(up(), 1U);
  EXPECT_EQ(entry(0).calls[0].connection, ConnectionId{1});
  next_look();
  EXPECT_TRUE(asked.empty());
}

TEST_F(KeeperTest, ACallThatIsGoneIsSetUpAgain) {
  start({wanted("east"), wanted("west", 200)});
  attach();
  settle();
  ASSERT_EQ(up(), 2U);
  calls.erase(calls.begin());  // released by an operator
  next_look();
  ASSERT_EQ(setups(), 1U);
  EXPECT_EQ(std::get<ConnectRequest>(asked[0]).service.cells_per_s, 100U);
  answer();
  EXPECT_EQ(up(), 2U);
  EXPECT_EQ(calls.size(), 2U);
}

TEST_F(KeeperTest, ACallThatIsBeingReleasedCountsAsGone) {
  start({wanted("east")});
  attach();
  settle();
  calls[0].phase = ListedCall::Phase::kGoing;
  next_look();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(KeeperTest, ARestartedKeeperFindsItsCallsAndReleasesTheRest) {
  start({wanted("east", 100, 2), wanted("west", 200), wanted("old", 300)});
  attach();
  settle();
  ASSERT_EQ(calls.size(), 4U);
  start({wanted("renamed", 100, 2), wanted("west", 200)}, 50);
  attach();
  look();
  EXPECT_EQ(up(), 3U);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(std::get<ReleaseRequest>(asked[0]).connection, ConnectionId{4});
  settle();
  EXPECT_EQ(calls.size(), 3U);
}

TEST_F(KeeperTest, CallsAlikeAreInterchangeableAndOneTooManyIsReleased) {
  start({wanted("east"), wanted("twin")});
  attach();
  settle();
  ListedCall third = calls[0];
  third.connection = ConnectionId{99};
  calls.insert(calls.begin(), third);
  next_look();
  ASSERT_EQ(asked.size(), 1U);
  // Those that it has stay.
  EXPECT_EQ(std::get<ReleaseRequest>(asked[0]).connection, ConnectionId{99});
  settle();
  EXPECT_EQ(up(), 2U);
}

TEST_F(KeeperTest, SetupsWaitForReleases) {
  start({wanted("old", 300)});
  attach();
  settle();
  start({wanted("new", 400)}, 50);
  attach();
  look();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<ReleaseRequest>(asked[0]));
  answer();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(KeeperTest, AReleaseThatIsRefusedIsTriedAtTheNextLook) {
  start({wanted("old", 300)});
  attach();
  settle();
  start({wanted("new", 400)}, 50);
  attach();
  look();
  refuse(OutcomeKind::kBusy);
  settle();
  EXPECT_EQ(calls.size(), 2U);
  next_look();
  settle();
  EXPECT_EQ(calls.size(), 1U);
}

TEST_F(KeeperTest, ACallThatComesUpOnItsOwnIsAwaited) {
  start({wanted("east")});
  attach();
  look();
  carry_out();  // the keeper ends before the answer
  calls[0].phase = ListedCall::Phase::kComing;
  start({wanted("east")}, 50);
  attach();
  look();
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(entry(0).calls[0].state, CallState::kSettingUp);
  calls[0].phase = ListedCall::Phase::kThere;
  next_look();
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(asked.empty());
}

// ===== looks that overlap with answers =====

TEST_F(KeeperTest, AnOldListDoesNotJudgeACallThatWasSetUpMeanwhile) {
  start({wanted("east")});
  attach();
  look();
  pass(limits.check);
  ASSERT_TRUE(looking);
  const Outcome outcome = carry_out();
  const std::vector<ListedCall> later = std::exchange(calls, {});
  send(outcome);
  look();  // read before the call was there
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(asked.empty());
  calls = later;
  next_look();
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(asked.empty());
}

TEST_F(KeeperTest, AListedCallWhoseAnswerIsOnItsWayIsNotAdopted) {
  limits.at_once = 1;
  start({wanted("east"), wanted("twin")});
  attach();
  look();
  const Outcome outcome = carry_out();
  next_look();
  EXPECT_EQ(up(), 0U);
  send(outcome);
  settle();
  EXPECT_EQ(up(), 2U);
  EXPECT_EQ(calls.size(), 2U);
}

TEST_F(KeeperTest, ALookOfAnEarlierSessionCountsForNothing) {
  start({wanted("east")});
  attach();
  keeper->detached();
  keeper->attached(now);
  look();
  EXPECT_TRUE(asked.empty());
  pass(kSecond);
  look();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(KeeperTest, ALookThatFailsIsRepeatedAndChangesNothing) {
  start({wanted("east")});
  attach();
  settle();
  pass(limits.check);
  ASSERT_TRUE(looking);
  looking = false;
  keeper->look_failed(now);
  step();
  EXPECT_FALSE(looking);
  EXPECT_EQ(up(), 1U);
  pass(limits.check);
  EXPECT_TRUE(looking);
}

// ===== sessions and lost answers =====

TEST_F(KeeperTest, ASetupWithoutAnAnswerIsNotSentAgain) {
  start({wanted("east")});
  attach();
  look();
  const Outcome lost = carry_out();
  keeper->detached();
  pass(60 * kSecond);
  EXPECT_TRUE(asked.empty());
  keeper->attached(now);
  step();
  look();
  EXPECT_TRUE(asked.empty());
  send(lost);  // the client has repeated the request
  EXPECT_EQ(up(), 1U);
  EXPECT_EQ(calls.size(), 1U);
}

TEST_F(KeeperTest, WithoutAnOutcomeTheNextLookDecides) {
  start({wanted("east")});
  attach();
  look();
  const Outcome lost = carry_out();
  keeper->answered(lost.request, fail(ErrorCode::kTimeout, "the outcome is not known"), now);
  pass(kSecond * 10);
  EXPECT_TRUE(asked.empty());
  look();
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(asked.empty());
}

TEST_F(KeeperTest, NothingIsSentWithoutASession) {
  start({wanted("east")});
  attach();
  look();
  refuse();
  keeper->detached();
  pass(kSecond * 100);
  EXPECT_TRUE(asked.empty());
  EXPECT_FALSE(looking);
  // A new session does not wait for the old refusal's end.
  keeper->attached(now);
  step();
  look();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(KeeperTest, SetupsWaitForAManagerThatHasNotReadEveryLedger) {
  unread = 1;
  start({wanted("east")});
  attach();
  look();
  EXPECT_TRUE(asked.empty());
  EXPECT_TRUE(keeper->held_back(now));
  next_look();
  EXPECT_TRUE(asked.empty());
  unread = 0;
  next_look();
  EXPECT_EQ(setups(), 1U);
}

TEST_F(KeeperTest, AfterSomePatienceTheyDoNot) {
  unread = 1;
  start({wanted("east")});
  attach();
  look();
  EXPECT_LE(keeper->next_deadline(), now + limits.unread_patience);
  pass(limits.unread_patience);
  EXPECT_EQ(setups(), 1U);
  settle();
  // The ledger is read, and has an older call: one of them goes.
  ListedCall old = calls[0];
  old.connection = ConnectionId{99};
  calls.push_back(old);
  unread = 0;
  next_look();
  settle();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].connection, ConnectionId{1});
}

// ===== refusals =====

TEST_F(KeeperTest, ARefusedConnectionIsTriedEverMoreRarely) {
  start({wanted("east")});
  attach();
  look();
  refuse();
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(entry(0).refusals, 1U);
  EXPECT_THAT(entry(0).last_refusal, ::testing::HasSubstr("switch-1 port 2"));
  EXPECT_EQ(entry(0).next_try, now + limits.retry.min);
  pass(limits.retry.min);
  EXPECT_EQ(setups(), 1U);
  refuse();
  EXPECT_EQ(entry(0).next_try, now + 2 * limits.retry.min);
  for (int i = 0; i < 20; ++i) {
    now = entry(0).next_try;
    step();
    if (looking) look();
    ASSERT_EQ(setups(), 1U);
    refuse();
  }
  EXPECT_EQ(entry(0).next_try, now + limits.retry.max);
  now = entry(0).next_try;
  step();
  if (looking) look();
  answer();
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(entry(0).last_refusal.empty());
}

TEST_F(KeeperTest, OfARefusedTableOneSetupIsTriedThenAll) {
  start({wanted("east", 100, 3), wanted("west", 200)});
  attach();
  look();
  ASSERT_EQ(setups(), 4U);
  refuse();
  refuse();
  refuse();
  EXPECT_EQ(entry(0).next_try, now + limits.retry.min);  // not thrice as long
  answer();
  EXPECT_EQ(up(), 1U);  // the other table does not wait
  pass(limits.retry.min);
  ASSERT_EQ(setups(), 1U);
  answer();
  EXPECT_EQ(setups(), 2U);
  settle();
  EXPECT_EQ(up(), 4U);
}

TEST_F(KeeperTest, ABusyManagerSaysWhenToTryAgain) {
  start({wanted("east")});
  attach();
  look();
  refuse(OutcomeKind::kBusy, 7000);
  EXPECT_EQ(entry(0).next_try, now + 7 * kSecond);
}

// ===== order and bounds =====

TEST_F(KeeperTest, SetupsAtOnceAreBoundedAndPriorityComesFirst) {
  limits.at_once = 2;
  Wanted urgent = wanted("urgent", 300);
  urgent.request.priority = 5;
  start({wanted("east", 100, 3), urgent});
  attach();
  look();
  ASSERT_EQ(setups(), 2U);
  EXPECT_EQ(std::get<ConnectRequest>(asked[0]).service.cells_per_s, 300U);
  answer();
  EXPECT_EQ(setups(), 2U);
  settle();
  EXPECT_EQ(up(), 4U);
}

TEST_F(KeeperTest, ReleasesAtOnceAreBounded) {
  start({wanted("east", 100, 5)});
  attach();
  settle();
  limits.at_once = 2;
  start({wanted("west", 200)}, 50);
  attach();
  look();
  EXPECT_EQ(asked.size(), 2U);
  EXPECT_EQ(setups(), 0U);
  settle();
  EXPECT_EQ(calls.size(), 1U);
}

TEST_F(KeeperTest, NumbersDifferInARun) {
  start({wanted("east", 100, 50)});
  attach();
  look();
  std::set<RequestId> numbers;
  for (const auto& request : asked) numbers.insert(number_of(request));
  EXPECT_EQ(numbers.size(), 50U);
}

// ===== notices =====

TEST_F(KeeperTest, ABrokenCallStaysAndMendsWithoutASetup) {
  start({wanted("east")});
  attach();
  settle();
  pass(kSecond);
  keeper->noticed({.connection = ConnectionId{1}, .kind = NoticeKind::kBroken}, now);
  step();
  EXPECT_TRUE(looking);  // at once
  EXPECT_EQ(entry(0).calls[0].state, CallState::kBroken);
  calls[0].state = CallState::kBroken;
  look();
  EXPECT_TRUE(asked.empty());
  calls[0].state = CallState::kUp;
  next_look();
  EXPECT_EQ(up(), 1U);
  EXPECT_TRUE(asked.empty());
}

TEST_F(KeeperTest, ManyNoticesCauseFewLooks) {
  start({wanted("east")});
  attach();
  settle();
  pass(kSecond);
  int looks = 0;
  for (int i = 0; i < 100; ++i) {
    keeper->noticed({.connection = ConnectionId{1}, .kind = NoticeKind::kRerouted}, now);
    pass(std::chrono::milliseconds{10});
    if (looking) {
      look();
      ++looks;
    }
  }
  EXPECT_LE(looks, 6);
  EXPECT_GE(looks, 4);
}

// ===== another file =====

TEST_F(KeeperTest, AChangedFileChangesWhatHasChangedOnly) {
  start({wanted("east"), wanted("west", 200), wanted("gone", 300)});
  attach();
  settle();
  const FileChange change =
      keeper->want({wanted("west", 250), wanted("east"), wanted("new", 400)}, now);
  EXPECT_THAT(change.added, ::testing::ElementsAre("new"));
  EXPECT_THAT(change.removed, ::testing::ElementsAre("gone"));
  EXPECT_THAT(change.changed, ::testing::ElementsAre("west"));
  EXPECT_EQ(change.kept, 1U);
  EXPECT_EQ(entry(1).calls[0].connection, ConnectionId{1});
  EXPECT_TRUE(asked.empty());
  pass(kSecond);
  look();
  // The call of west has the old contract, and that of gone is not wanted: both are released.
  EXPECT_THAT(released(), ::testing::UnorderedElementsAre(ConnectionId{2}, ConnectionId{3}));
  answer();
  answer();
  EXPECT_THAT(rates(), ::testing::UnorderedElementsAre(250U, 400U));
  settle();
  EXPECT_EQ(up(), 3U);
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].connection, ConnectionId{1});
}

TEST_F(KeeperTest, ARenamedConnectionKeepsItsCall) {
  start({wanted("east")});
  attach();
  settle();
  const FileChange change = keeper->want({wanted("orient")}, now);
  EXPECT_TRUE(change.any());
  pass(kSecond);
  settle();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].connection, ConnectionId{1});
  EXPECT_EQ(up(), 1U);
}

TEST_F(KeeperTest, ASetupWhoseTableHasGoneIsReleasedWhenItIsUp) {
  start({wanted("east"), wanted("west", 200)});
  attach();
  look();
  keeper->want({wanted("west", 200)}, now);
  settle();
  pass(kSecond);
  settle();
  EXPECT_EQ(up(), 1U);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].connection, ConnectionId{2});
}

TEST_F(KeeperTest, ALowerCountReleasesTheRest) {
  start({wanted("east", 100, 4)});
  attach();
  settle();
  keeper->want({wanted("east", 100, 1)}, now);
  pass(kSecond);
  settle();
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(up(), 1U);
}

TEST_F(KeeperTest, WithNothingWantedEverythingIsReleased) {
  start({wanted("east", 100, 3)});
  attach();
  settle();
  keeper->want({}, now);
  EXPECT_FALSE(keeper->nothing_left());
  for (int i = 0; i < 5 && !keeper->nothing_left(); ++i) {
    pass(kSecond);
    settle();
  }
  EXPECT_TRUE(keeper->nothing_left());
  EXPECT_TRUE(calls.empty());
}

TEST_F(KeeperTest, TheRevisionChangesWithTheStatus) {
  start({wanted("east")});
  attach();
  settle();
  const std::uint64_t before = keeper->revision();
  next_look();
  EXPECT_EQ(keeper->revision(), before);
  calls.clear();
  next_look();
  EXPECT_NE(keeper->revision(), before);
}

}  // namespace
}  // namespace xbind::keeper
