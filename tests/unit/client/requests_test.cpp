// Requests within one session: numbers, batches, credit, repeats of frames, outcomes and notices.
#include <limits>

#include "exchange.hpp"

namespace xbind::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RequestsTest : public ExchangeTest {
 protected:
  std::uint64_t ask(Request request) {
    const auto number = requester->submit(std::move(request));
    EXPECT_TRUE(number.has_value()) << number.error().text;
    return number ? number->value() : 0;
  }
};

TEST_F(RequestsTest, ARequestGoesOutInTheSessionAndIsAnsweredByItsOutcome) {
  log_in();
  const std::uint64_t number = ask(call());
  EXPECT_EQ(requester->open(), 1U);
  step();
  // mia --> manager: connect 1
  EXPECT_THAT(deliver(), ElementsAre(number));
  // mia <-- manager: connected 1
  say(outcomes({connected(number)}));
  EXPECT_THAT(answered(), ElementsAre(number));
  EXPECT_EQ(wanted.deliveries.front()->outcomes.front(), connected(number));
  EXPECT_EQ(requester->open(), 0U);
  EXPECT_EQ(requester->counters().answered, 1U);
}

TEST_F(RequestsTest, NumbersBeginAtOneAndLieAboveThoseOfTheCaller) {
  log_in();
  EXPECT_EQ(ask(call()), 1U);
  EXPECT_EQ(ask(release(55)), 2U);
  EXPECT_EQ(ask(call(40)), 40U);
  EXPECT_EQ(ask(call()), 41U);
  EXPECT_EQ(ask(call(7)), 7U);
  EXPECT_EQ(ask(call()), 42U);
}

TEST_F(RequestsTest, AboveTheHighestNumberThereIsNone) {
  log_in();
  ask(call(std::numeric_limits<std::uint64_t>::max()));
  const auto refused = requester->submit(call());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(refused.error().text, HasSubstr("18446744073709551615"));
  EXPECT_EQ(ask(call(3)), 3U);
}

TEST_F(RequestsTest, WhatIsAskedInOneStepTravelsInOneBatchOfEveryKind) {
  log_in();
  ask(call());
  ask(release(1));
  ask(ModifyRequest{{}, ConnectionId{2}, {}, {}});
  ask(LeafRequest{{}, ConnectionId{3}, "eve", false});
  ask(CommitRequest{{}, ConnectionId{4}});
  step();
  ASSERT_THAT(wanted.transmit, SizeIs(1));
  const RequestBatch& batch = *wanted.transmit.front().batch;
  EXPECT_EQ(batch.connects.front().request, RequestId{1});
  EXPECT_EQ(batch.releases.front().request, RequestId{2});
  EXPECT_EQ(batch.modifies.front().request, RequestId{3});
  EXPECT_EQ(batch.leaves.front().request, RequestId{4});
  EXPECT_EQ(batch.commits.front().request, RequestId{5});
}

TEST_F(RequestsTest, ABatchHasABound) {
  limits.requests_per_batch = 2;
  log_in();
  for (int i = 0; i < 5; ++i) ask(call());
  step();
  ASSERT_THAT(wanted.transmit, SizeIs(3));
  EXPECT_THAT(numbers(*wanted.transmit[0].batch), ElementsAre(1, 2));
  EXPECT_THAT(numbers(*wanted.transmit[1].batch), ElementsAre(3, 4));
  EXPECT_THAT(numbers(*wanted.transmit[2].batch), ElementsAre(5));
}

TEST_F(RequestsTest, ABatchOfTheCallersGoesOutAsItIs) {
  log_in();
  ask(call());
  RequestBatch batch;
  batch.connects = {call(100), call(101)};
  batch.releases = {release(9, 102)};
  const ConnectRequest* const there = batch.connects.data();
  ASSERT_TRUE(requester->submit(std::move(batch)).has_value());
  EXPECT_EQ(ask(call()), 103U);
  step();
  ASSERT_THAT(wanted.transmit, SizeIs(3));
  EXPECT_THAT(numbers(*wanted.transmit[1].batch), ElementsAre(100, 101, 102));
  EXPECT_EQ(wanted.transmit[1].batch->connects.data(), there) << "it was not copied";
  EXPECT_EQ(requester->open(), 5U);
}

TEST_F(RequestsTest, ABatchIsRefusedWholeAndLeftAsItWas) {
  limits.requests_per_batch = 2;
  log_in();
  RequestBatch unnumbered;
  unnumbered.connects = {call(1), call(0)};
  const auto zero = requester->submit(std::move(unnumbered));
  ASSERT_FALSE(zero.has_value());
  EXPECT_EQ(zero.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(unnumbered.connects, SizeIs(2));  // NOLINT(bugprone-use-after-move)

  RequestBatch large;
  large.connects = {call(1), call(2), call(3)};
  const auto too_large = requester->submit(std::move(large));
  ASSERT_FALSE(too_large.has_value());
  EXPECT_EQ(too_large.error().text, "a batch has 3 requests, not 1 to 2");
  EXPECT_FALSE(requester->submit(RequestBatch{}).has_value());

  EXPECT_EQ(requester->open(), 0U);
  EXPECT_THAT(step().transmit, IsEmpty());
  EXPECT_EQ(requester->counters().refused, 5U);
}

TEST_F(RequestsTest, WithoutCreditRequestsWaitAndTheNextBatchIsLarger) {
  log_in(1);
  ask(call());
  step();
  const auto first = wanted.transmit;
  // mia --> manager: 1, which fills the window
  ASSERT_THAT(first, SizeIs(1));
  ask(call());
  EXPECT_THAT(step().transmit, IsEmpty());
  ask(call());
  EXPECT_THAT(step().transmit, IsEmpty());
  EXPECT_EQ(requester->waiting(), 2U);

  EXPECT_THAT(deliver(first.front()), ElementsAre(1));
  // mia <-- manager: connected 1, which confirms the batch
  say(outcomes({connected(1)}));
  // mia --> manager: 2 and 3
  ASSERT_THAT(wanted.transmit, SizeIs(1));
  EXPECT_THAT(deliver(), ElementsAre(2, 3));
  EXPECT_EQ(requester->waiting(), 0U);
}

TEST_F(RequestsTest, ABatchThatIsNotConfirmedIsSentAgainAfterTheTimer) {
  log_in();
  ask(call());
  step();
  const RequestFrame lost = wanted.transmit.front();
  // mia --> manager: 1                                    lost
  wait(limits.session.resend_after);
  // mia --> manager: 1, the same number and the same batch
  ASSERT_THAT(wanted.transmit, SizeIs(1));
  EXPECT_EQ(wanted.transmit.front().seq, lost.seq);
  EXPECT_EQ(wanted.transmit.front().batch, lost.batch);
  EXPECT_THAT(deliver(), ElementsAre(1));
  EXPECT_THAT(deliver(lost), IsEmpty()) << "it comes late";
  EXPECT_EQ(requester->session_counters().resent, 1U);
}

TEST_F(RequestsTest, AnOutcomeThatComesTwiceIsHandedOutOnce) {
  log_in();
  ask(call());
  step();
  deliver();
  const OutcomeFrame frame = frame_of(outcomes({connected(1)}));
  hear(frame);
  EXPECT_THAT(answered(), ElementsAre(1));
  // The frame is repeated: the session drops it.
  hear(frame);
  EXPECT_THAT(answered(), IsEmpty());
  // The outcome is repeated in another batch, together with a new one.
  ask(call());
  step();
  deliver();
  say(outcomes({connected(1), connected(2)}));
  EXPECT_THAT(answered(), ElementsAre(2));
  EXPECT_THAT(wanted.unexpected, ElementsAre(connected(1)));
  EXPECT_EQ(requester->counters().unknown_outcomes, 1U);
  EXPECT_EQ(requester->counters().answered, 2U);
}

TEST_F(RequestsTest, OutcomesTwiceInOneBatchAreOne) {
  log_in();
  ask(call());
  step();
  deliver();
  say(outcomes({connected(1), connected(1)}));
  EXPECT_THAT(answered(), ElementsAre(1));
  EXPECT_THAT(wanted.unexpected, ElementsAre(connected(1)));
}

TEST_F(RequestsTest, AnOutcomeOfAnUnknownNumberIsCountedAndSetApart) {
  log_in();
  say(outcomes({connected(99)}));
  EXPECT_THAT(wanted.deliveries, IsEmpty());
  EXPECT_THAT(wanted.unexpected, ElementsAre(connected(99)));
  EXPECT_EQ(requester->counters().unknown_outcomes, 1U);
  say(outcomes({connected(99)}, {rerouted(5)}));
  EXPECT_THAT(answered(), IsEmpty());
  EXPECT_THAT(noticed(), ElementsAre(rerouted(5))) << "the notice beside it counts";
  EXPECT_THAT(wanted.unexpected, ElementsAre(connected(99)));
  EXPECT_THAT(step().unexpected, IsEmpty());
}

TEST_F(RequestsTest, NoticesAreHandedOnInTheirPlaceAmongTheOutcomes) {
  log_in();
  ask(call());
  step();
  deliver();
  const OutcomeFrame first = frame_of(outcomes({connected(1)}, {rerouted(1001)}));
  const OutcomeFrame second = frame_of(outcomes({}, {rerouted(1001)}));
  // mia <-- manager: the second frame overtakes the first
  hear(second);
  EXPECT_THAT(wanted.deliveries, IsEmpty());
  hear(first);
  ASSERT_THAT(wanted.deliveries, SizeIs(2));
  EXPECT_THAT(wanted.deliveries[0]->outcomes, ElementsAre(connected(1)));
  EXPECT_THAT(wanted.deliveries[0]->notices, SizeIs(1));
  EXPECT_THAT(wanted.deliveries[1]->outcomes, IsEmpty());
  EXPECT_EQ(requester->counters().notices, 2U);
}

TEST_F(RequestsTest, MoreThanTheBoundIsRefusedByName) {
  limits.open_max = 2;
  start();  // not attached: all requests wait
  ask(call());
  ask(call());
  const auto refused = requester->submit(call());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(refused.error().text,
            "2 requests of client mia have no answer yet; the limit is 2: 1 more refused");
  RequestBatch batch;
  batch.connects = {call(9)};
  EXPECT_EQ(requester->submit(std::move(batch)).error().code, ErrorCode::kExhausted);
  // mia --> manager: 1, 2; mia <-- manager: connected 1
  take_in(1);
  EXPECT_THAT(deliver(), ElementsAre(1, 2));
  say(outcomes({connected(1)}));
  EXPECT_EQ(ask(call()), 3U) << "the number of the refused request was not used";
}

// A second copy could arrive after the outcome of the first was confirmed. By then the manager
// would have forgotten the number, and would execute the request again.
TEST_F(RequestsTest, ARequestThatIsOpenIsNotSentAgainInItsSession) {
  log_in();
  ask(call(5));
  ask(call(5));
  EXPECT_EQ(requester->open(), 1U);
  step();
  EXPECT_THAT(deliver(), ElementsAre(5));
  ask(call(5));
  step();
  EXPECT_THAT(wanted.transmit, IsEmpty());
  say(outcomes({connected(5)}));
  EXPECT_THAT(answered(), ElementsAre(5));
  EXPECT_EQ(requester->counters().submitted, 3U);
  EXPECT_EQ(requester->waiting(), 0U);
}

TEST_F(RequestsTest, OfABatchOnlyWhatIsNotOpenIsSent) {
  log_in();
  ask(call(5));
  RequestBatch batch;
  batch.connects = {call(4), call(5), call(6), call(6)};
  batch.releases = {release(1001, 7), release(1001, 5), release(1001, 8)};
  ASSERT_TRUE(requester->submit(std::move(batch)).has_value());
  EXPECT_EQ(requester->open(), 5U);
  EXPECT_EQ(requester->waiting(), 5U);
  RequestBatch all_open;
  all_open.connects = {call(5), call(6)};
  ASSERT_TRUE(requester->submit(std::move(all_open)).has_value());
  EXPECT_EQ(requester->waiting(), 5U);
  step();
  EXPECT_THAT(deliver(), ElementsAre(5, 4, 6, 7, 8));
}

TEST_F(RequestsTest, ARepeatTakesNoRoomAndIsRefusedWhenThereIsNone) {
  limits.open_max = 2;
  start();
  for (int i = 0; i < 4; ++i) ask(call(5));
  ask(call(6));
  EXPECT_EQ(requester->submit(call(5)).error().code, ErrorCode::kExhausted);
}

TEST_F(RequestsTest, AMessageOfAnotherSessionIsCountedAndDropped) {
  log_in();
  ask(call());
  step();
  deliver();
  requester->receive(SessionId{77}, frame_of(outcomes({connected(1)})), now);
  EXPECT_THAT(step().deliveries, IsEmpty());
  EXPECT_EQ(requester->counters().stale_messages, 1U);
  EXPECT_EQ(requester->open(), 1U);
}

}  // namespace
}  // namespace xbind::client
