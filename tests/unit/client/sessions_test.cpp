// Sessions begin and end: attaching with back-off, which messages are repeated in the next session,
// and the ways in which a client ends.
#include "exchange.hpp"

namespace xbind::client {
namespace {

using State = Requester::State;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionsTest : public ExchangeTest {
 protected:
  void ask(Request request) {
    const auto number = requester->submit(std::move(request));
    EXPECT_TRUE(number.has_value()) << number.error().text;
  }
  Duration until_next() const { return requester->next_deadline() - now; }
  // Waits until the next attempt to attach is wanted.
  void wait_for_attempt() {
    wait(until_next());
    ASSERT_TRUE(wanted.attach.has_value());
  }
  std::string loss() const {
    for (const SessionChange& change : wanted.changes) {
      if (change.lost) return change.lost->text;
    }
    return {};
  }
};

// ===== attaching =====

TEST_F(SessionsTest, ItAttachesWithItsNameAndEpoch) {
  start();
  EXPECT_EQ(requester->state(), State::kAttaching);
  ASSERT_TRUE(wanted.attach.has_value());
  // mia --> manager: attach(mia, epoch 7)
  EXPECT_EQ(wanted.attach->client, "mia");
  EXPECT_EQ(wanted.attach->epoch, Epoch{7});
  take_in(1);
  EXPECT_EQ(requester->state(), State::kAttached);
  EXPECT_EQ(requester->session(), SessionId{1});
  ASSERT_THAT(wanted.changes, SizeIs(1));
  EXPECT_FALSE(wanted.changes.front().lost.has_value());
}

TEST_F(SessionsTest, FailuresMakeItWaitLongerAndLonger) {
  limits.back_off = {milliseconds{100}, milliseconds{350}};
  start();
  refuse(ErrorCode::kNotFound, "xbind/cmgr/default is not bound");
  EXPECT_EQ(requester->state(), State::kBackingOff);
  EXPECT_FALSE(wanted.attach.has_value());
  for (const int wait_ms : {100, 200, 350, 350}) {
    EXPECT_EQ(until_next(), milliseconds{wait_ms});
    wait_for_attempt();
    refuse(ErrorCode::kUnreachable, "manager default cannot be reached");
  }
  EXPECT_EQ(requester->counters().attach_failures, 5U);
}

TEST_F(SessionsTest, JitterShortensTheWait) {
  limits.jitter = 1;
  start();
  refuse(ErrorCode::kUnreachable, "not there");
  EXPECT_EQ(until_next(), limits.back_off.min / 2);
}

TEST_F(SessionsTest, AnAttemptWithoutAnAnswerFailsAndItsLateAnswerChangesNothing) {
  start();
  const std::uint64_t first = wanted.attach->attempt;
  wait(limits.attach_answer);
  EXPECT_EQ(requester->state(), State::kBackingOff);
  wait_for_attempt();
  EXPECT_NE(wanted.attach->attempt, first);
  requester->attached(first, SessionId{1}, 256, Epoch{7}, now);
  EXPECT_EQ(requester->state(), State::kAttaching);
  take_in(2);
  requester->attach_failed(first, {ErrorCode::kTimeout, "late"}, now);
  EXPECT_EQ(requester->session(), SessionId{2});
  EXPECT_EQ(requester->counters().stale_messages, 2U);
}

// The epoch of the first session is the program's for its whole life.
TEST_F(SessionsTest, AnEpochThatTheManagerHasGivenOutIsKept) {
  Requester fresh(Identity{"mia", "default"}, limits);
  Actions actions;
  const auto next_attempt = [&] {
    for (;;) {
      fresh.flush(now, actions);
      if (actions.attach || actions.ended) return;
      now = fresh.next_deadline();
      fresh.tick(now);
    }
  };
  fresh.start(now);
  next_attempt();
  EXPECT_EQ(actions.attach->epoch, Epoch{});
  fresh.attach_failed(actions.attach->attempt, {ErrorCode::kTimeout, "no answer"}, now);
  next_attempt();
  EXPECT_EQ(actions.attach->epoch, Epoch{}) << "it has no session yet";
  fresh.attached(actions.attach->attempt, SessionId{1}, 256, Epoch{41}, now);
  fresh.session_ended(SessionId{1}, "replaced: epoch 42 has attached", now);
  next_attempt();
  EXPECT_EQ(actions.attach->epoch, Epoch{41}) << "one that was replaced takes no newer epoch";
  fresh.attach_failed(actions.attach->attempt, {ErrorCode::kFenced, "42 is newer"}, now);
  next_attempt();
  EXPECT_EQ(actions.ended->code, ErrorCode::kFenced);
}

TEST_F(SessionsTest, AWindowOfNothingIsNoSession) {
  start();
  requester->attached(wanted.attach->attempt, SessionId{4}, 0, Epoch{7}, now);
  EXPECT_EQ(requester->state(), State::kBackingOff);
}

TEST_F(SessionsTest, RequestsWaitForTheSession) {
  start();
  ask(call());
  EXPECT_THAT(step().transmit, IsEmpty());
  refuse(ErrorCode::kUnreachable, "not there");
  wait_for_attempt();
  take_in(1);
  EXPECT_THAT(deliver(), ElementsAre(1));
}

TEST_F(SessionsTest, WhatCannotBeRepairedEndsIt) {
  for (const ErrorCode code : {ErrorCode::kFenced, ErrorCode::kVersion, ErrorCode::kBadInput}) {
    start();
    ask(call());
    refuse(code, "no");
    EXPECT_EQ(requester->state(), State::kEnded);
    ASSERT_TRUE(wanted.ended.has_value());
    EXPECT_EQ(wanted.ended->code, code);
    ASSERT_THAT(wanted.failed, SizeIs(1));
    EXPECT_THAT(wanted.failed.front().unsent, ElementsAre(RequestId{1}));
    EXPECT_EQ(requester->submit(call()).error().code, code);
    EXPECT_EQ(requester->next_deadline(), kNever);
  }
}

TEST_F(SessionsTest, WithoutReattachTheFirstFailureEndsIt) {
  limits.reattach = false;
  start();
  refuse(ErrorCode::kUnreachable, "not there");
  EXPECT_EQ(requester->state(), State::kEnded);
  EXPECT_EQ(requester->ended()->text, "not there");
}

TEST_F(SessionsTest, OutOfReachForTooLongRequestsFailUntilThereIsASessionAgain) {
  limits.reach_within = seconds{3};
  limits.back_off = {seconds{1}, seconds{1}};
  start();
  ask(call());
  refuse(ErrorCode::kUnreachable, "connection refused");
  for (int attempts = 0; attempts < 2; ++attempts) {
    wait_for_attempt();
    refuse(ErrorCode::kUnreachable, "connection refused");
  }
  wait(until_next());
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_EQ(now, TimePoint{seconds{1003}});
  EXPECT_EQ(wanted.failed.front().why.text,
            "manager default has not been reached for 3000 ms: connection refused");
  EXPECT_THAT(wanted.failed.front().unsent, ElementsAre(RequestId{1}));
  EXPECT_EQ(requester->submit(call()).error().code, ErrorCode::kUnreachable);
  take_in(1);
  EXPECT_THAT(wanted.transmit, IsEmpty()) << "failed requests are not sent";
  ask(call());
  ask(call(1));
  ask(call());
  step();
  EXPECT_THAT(deliver(), ElementsAre(2, 1, 3)) << "unless the caller repeats the request";
}

// ===== a session is lost =====

TEST_F(SessionsTest, TheNextSessionGetsWhatHasNoOutcomeAndNothingElse) {
  log_in();
  ask(call());
  ask(call());
  step();
  EXPECT_THAT(deliver(), ElementsAre(1, 2));
  ask(release(9));
  step();
  EXPECT_THAT(deliver(), ElementsAre(3));
  // mia <-- manager: connected 2
  say(outcomes({connected(2)}));
  // mia <-- manager: session ended
  requester->session_ended(session, "nothing was heard", now);
  ask(call());
  step();
  EXPECT_EQ(loss(), "manager default has ended session 1: nothing was heard");
  EXPECT_THAT(wanted.detach, IsEmpty()) << "the next attempt ends the session as well";
  EXPECT_EQ(requester->open(), 3U);
  wait_for_attempt();
  // mia --> manager: attach, under the same epoch
  EXPECT_EQ(wanted.attach->epoch, Epoch{7});
  take_in(2);
  // mia --> manager: 1 and 3 again under their numbers, then the new request 4
  EXPECT_EQ(wanted.transmit.front().seq, BatchSeq{1}) << "batches are numbered anew";
  EXPECT_EQ(wanted.transmit.front().batch->connects.front(), call(1));
  EXPECT_EQ(wanted.transmit.front().batch->releases.front(), release(9, 3));
  EXPECT_THAT(deliver(), ElementsAre(1, 3, 4));
  EXPECT_EQ(requester->counters().repeated, 2U);
  say(outcomes({connected(1), connected(3), connected(4)}));
  EXPECT_THAT(answered(), ElementsAre(1, 3, 4));
}

TEST_F(SessionsTest, RepeatedRequestsTravelInTheirOrderAndWithinTheBoundOfABatch) {
  limits.requests_per_batch = 2;
  log_in();
  for (int i = 0; i < 5; ++i) ask(call());
  step();
  requester->session_failed(session, {ErrorCode::kUnreachable, "broken pipe"}, now);
  step();
  EXPECT_EQ(loss(), "broken pipe");
  wait_for_attempt();
  take_in(2);
  ASSERT_THAT(wanted.transmit, SizeIs(3));
  EXPECT_THAT(numbers(*wanted.transmit[0].batch), ElementsAre(1, 2));
  EXPECT_THAT(numbers(*wanted.transmit[2].batch), ElementsAre(5));
}

TEST_F(SessionsTest, FramesOfALostSessionAreNotSent) {
  log_in();
  ask(call());
  step();
  now += limits.session.resend_after;
  requester->tick(now);  // the repeat is due
  requester->session_ended(session, "a moment too early", now);
  EXPECT_THAT(step().transmit, IsEmpty());
}

TEST_F(SessionsTest, ARequestMayBeRepeatedInManySessionsAndIsAnsweredOnce) {
  log_in();
  ask(call());
  step();
  for (std::uint64_t number = 2; number < 6; ++number) {
    requester->session_ended(session, "again", now);
    wait_for_attempt();
    take_in(number);
    EXPECT_THAT(deliver(), ElementsAre(1));
  }
  say(outcomes({connected(1)}));
  EXPECT_THAT(answered(), ElementsAre(1));
}

TEST_F(SessionsTest, AManagerThatIsSilentForItsLeaseIsLost) {
  limits.first_answer = kForever;
  log_in();
  wait(limits.session.lease);
  EXPECT_THAT(loss(), HasSubstr("manager default: nothing has been heard for 15000 ms"));
  EXPECT_EQ(requester->state(), State::kBackingOff);
}

TEST_F(SessionsTest, AManagerThatNeverSaysAnythingIsLostSooner) {
  limits.first_answer = seconds{2};
  log_in();
  wait(seconds{3});
  EXPECT_EQ(requester->state(), State::kAttached) << "no request is pending";
  ask(call());
  step();
  wait(seconds{2});
  EXPECT_THAT(loss(), HasSubstr("manager default has sent nothing in session 1 for 2000 ms"));
}

TEST_F(SessionsTest, OneWordOfTheManagerIsEnough) {
  limits.first_answer = seconds{2};
  log_in();
  ask(call());
  step();
  deliver();
  EXPECT_FALSE(requester->heard());
  // mia <-- manager: a confirmation alone
  hear(OutcomeFrame{BatchSeq{0}, BatchSeq{1}, nullptr});
  EXPECT_TRUE(requester->heard());
  wait(seconds{5});
  EXPECT_EQ(requester->state(), State::kAttached);
}

TEST_F(SessionsTest, AManagerThatBreaksTheProtocolIsLost) {
  log_in();
  hear(OutcomeFrame{BatchSeq{0}, BatchSeq{12}, nullptr});
  EXPECT_THAT(loss(), HasSubstr("peer confirms batch 12"));
}

TEST_F(SessionsTest, ASessionMayBeEndedBeforeItIsKnown) {
  start();
  // mia <-- manager: session 1 has ended; the answer to attach comes after it
  requester->session_ended(SessionId{1}, "the name has attached again", now);
  take_in(1);
  EXPECT_EQ(requester->state(), State::kBackingOff);
  wait_for_attempt();
  take_in(2);
  EXPECT_EQ(requester->state(), State::kAttached);
}

TEST_F(SessionsTest, ATwinThatTakesTheSessionAgainAndAgainIsMetWithBackOff) {
  log_in();
  for (const int wait_ms : {100, 200, 400, 800}) {
    requester->session_ended(session, "the name has attached again", now);
    step();
    EXPECT_EQ(until_next(), milliseconds{wait_ms});
    wait_for_attempt();
    take_in(session.value() + 1);
  }
}

TEST_F(SessionsTest, ASessionThatLastedMakesTheNextAttemptAnEarlyOne) {
  log_in();
  requester->session_ended(session, "restart", now);
  wait_for_attempt();
  take_in(2);
  for (int i = 0; i < 6; ++i) {  // the manager continues to send
    hear(OutcomeFrame{});
    wait(seconds{1});
  }
  requester->session_ended(session, "restart", now);
  step();
  EXPECT_EQ(until_next(), limits.back_off.min);
}

TEST_F(SessionsTest, WithoutReattachTheLossOfTheSessionEndsIt) {
  limits.reattach = false;
  log_in();
  ask(call());
  step();
  ask(call());
  requester->session_ended(session, "the process ends in order", now);
  step();
  EXPECT_EQ(requester->state(), State::kEnded);
  EXPECT_THAT(wanted.detach, ElementsAre(session)) << "no later attempt ends it";
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_THAT(wanted.failed.front().unknown, ElementsAre(RequestId{1}));
  EXPECT_THAT(wanted.failed.front().unsent, ElementsAre(RequestId{2}));
}

TEST_F(SessionsTest, WithoutReattachTheEndTellsWhatWasSentInTheOrderOfTheRequests) {
  limits.reattach = false;
  log_in(1);
  ask(call(9));
  ask(release(55, 4));
  ask(call(5));
  step();
  ask(call(4));  // request number 4 is open: one answer is due, and the first submission was sent
  RequestBatch batch;
  batch.connects = {call(8), call(7)};
  ASSERT_TRUE(requester->submit(std::move(batch)).has_value());
  EXPECT_THAT(step().transmit, IsEmpty()) << "there is no credit";
  requester->session_ended(session, "the process ends in order", now);
  step();
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_THAT(wanted.failed.front().unknown, ElementsAre(RequestId{9}, RequestId{4}, RequestId{5}));
  EXPECT_THAT(wanted.failed.front().unsent, ElementsAre(RequestId{8}, RequestId{7}));
}

TEST_F(SessionsTest, ABatchIsKeptOnlyIfItMayBeRepeated) {
  for (const bool reattach : {true, false}) {
    limits.reattach = reattach;
    log_in();
    ask(call());
    step();
    const std::weak_ptr<const RequestBatch> batch = wanted.transmit.front().batch;
    EXPECT_THAT(deliver(), ElementsAre(1));
    // mia <-- manager: confirms the batch, without an outcome
    say(outcomes({}));
    EXPECT_EQ(requester->open(), 1U);
    EXPECT_EQ(batch.expired(), !reattach);
  }
}

TEST_F(SessionsTest, ANewerEpochIsTheEndOfThisOne) {
  log_in();
  ask(call());
  step();
  deliver();
  // Another program attaches under the name with a higher epoch.
  requester->session_ended(session, "the name has attached again", now);
  wait_for_attempt();
  refuse(ErrorCode::kFenced, "client mia with epoch 7 is fenced off by epoch 8");
  EXPECT_EQ(requester->state(), State::kEnded);
  EXPECT_EQ(wanted.ended->code, ErrorCode::kFenced);
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_EQ(wanted.failed.front().why.code, ErrorCode::kFenced);
  EXPECT_THAT(wanted.failed.front().unknown, ElementsAre(RequestId{1}));
  EXPECT_EQ(requester->submit(call()).error().code, ErrorCode::kFenced);
  wait(seconds{100});
  EXPECT_FALSE(wanted.attach.has_value()) << "it never comes back";
}

// ===== the end =====

TEST_F(SessionsTest, TheEndConfirmsDetachesAndFailsWhatIsOpen) {
  log_in();
  ask(call());
  ask(call());
  step();
  deliver();
  say(outcomes({connected(1)}));
  ask(call());
  requester->end(now);
  step();
  // mia --> manager: confirms the outcome, then detaches
  deliver();
  EXPECT_TRUE(manager->idle()) << "the manager need not remember outcome 1";
  EXPECT_THAT(wanted.detach, ElementsAre(session));
  ASSERT_THAT(wanted.failed, SizeIs(1));
  EXPECT_EQ(wanted.failed.front().why.code, ErrorCode::kTimeout);
  EXPECT_THAT(wanted.failed.front().unknown, ElementsAre(RequestId{2}));
  EXPECT_THAT(wanted.failed.front().unsent, ElementsAre(RequestId{3}));
  EXPECT_EQ(wanted.failed.front().why.text, "client mia has ended before the answer came");
  ASSERT_TRUE(wanted.ended.has_value());
  EXPECT_EQ(wanted.ended->text, "client mia has shut down");
  EXPECT_EQ(requester->counters().failed, 2U);
  requester->end(now);
  step();
  EXPECT_THAT(wanted.detach, IsEmpty());
  EXPECT_FALSE(wanted.ended.has_value());
}

TEST_F(SessionsTest, ASessionThatComesAfterTheEndIsDetached) {
  start();
  const std::uint64_t asked = attempt->attempt;
  requester->end(now);
  step();
  EXPECT_THAT(wanted.detach, IsEmpty());
  requester->attached(asked, SessionId{3}, 256, Epoch{7}, now);
  EXPECT_THAT(step().detach, ElementsAre(SessionId{3}));
  EXPECT_EQ(requester->state(), State::kEnded);
}

TEST(LimitsTest, ALimitOutOfRangeIsNamedWithItsValue) {
  EXPECT_TRUE(check(Limits{}).has_value());
  Limits limits;
  limits.open_max = 4'000'001;
  EXPECT_EQ(check(limits).error().text, "open_max is 4000001, not in 1 to 4000000");
  limits = {};
  limits.first_answer = Duration::zero();
  EXPECT_THAT(check(limits).error().text, HasSubstr("first_answer is 0 ns"));
  limits.first_answer = kForever;
  EXPECT_TRUE(check(limits).has_value());
  limits.attach_answer = kForever;
  EXPECT_FALSE(check(limits).has_value());
  limits = {};
  limits.jitter = 1.5;
  EXPECT_EQ(check(limits).error().text, "jitter is 1.5, not in 0 to 1");
  limits = {};
  limits.back_off = {seconds{2}, seconds{1}};
  EXPECT_FALSE(check(limits).has_value());
}

}  // namespace
}  // namespace xbind::client
