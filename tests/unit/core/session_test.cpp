// One session, one exchange at a time. Comments show the frames on the wire; a lost frame has
// "lost". Runs over a bad network are in session_network_test.cpp.
#include "core/session/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace xbind::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Batch = std::string;
using TextEnd = Session<Batch, Batch>;
using Text = Frame<Batch>;

constexpr TimePoint kOpened{seconds{1000}};

// Ends a and b; the test carries every frame itself.
class SessionTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kOctets = 100;

  // Delivers the frame; returns the batches that `to` applies as a result.
  static std::vector<Batch> deliver(const Text& frame, TextEnd& to, TimePoint now) {
    std::vector<std::shared_ptr<const Batch>> batches;
    const auto received = to.receive(frame, now, batches);
    EXPECT_TRUE(received.has_value()) << received.error().text;
    std::vector<Batch> words;
    for (const auto& batch : batches) words.push_back(*batch);
    return words;
  }
  static Error refusal(const Text& frame, TextEnd& to, TimePoint now) {
    std::vector<std::shared_ptr<const Batch>> batches;
    const auto received = to.receive(frame, now, batches);
    EXPECT_FALSE(received.has_value());
    EXPECT_THAT(batches, IsEmpty());
    return received ? Error{} : received.error();
  }
  static std::vector<Text> ticked(TextEnd& end, TimePoint now) {
    std::vector<Text> frames;
    const auto result = end.tick(now, frames);
    EXPECT_TRUE(result.has_value()) << result.error().text;
    return frames;
  }
  static Error tick_refusal(TextEnd& end, TimePoint now) {
    std::vector<Text> frames;
    const auto result = end.tick(now, frames);
    EXPECT_FALSE(result.has_value());
    return result ? Error{} : result.error();
  }
  static Text batch(std::uint64_t seq, const Batch& word, std::uint64_t confirmed = 0) {
    return {BatchSeq{seq}, BatchSeq{confirmed}, std::make_shared<const Batch>(word)};
  }
  static Text confirmation(std::uint64_t confirmed) {
    return {BatchSeq{0}, BatchSeq{confirmed}, nullptr};
  }

  TimePoint now = kOpened;
  Limits limits;
  TextEnd a{limits, kOpened};
  TextEnd b{limits, kOpened};
};

// ===== numbers =====

TEST_F(SessionTest, BatchesAreNumberedFromOneAndAppliedInThatOrder) {
  const Text first = a.send("one", kOctets, now);
  const Text second = a.send("two", kOctets, now);
  EXPECT_EQ(first.seq, BatchSeq{1});
  EXPECT_EQ(second.seq, BatchSeq{2});
  EXPECT_EQ(a.last_sent(), BatchSeq{2});
  EXPECT_THAT(deliver(first, b, now), ElementsAre("one"));
  EXPECT_THAT(deliver(second, b, now), ElementsAre("two"));
  EXPECT_EQ(b.applied(), BatchSeq{2});
  EXPECT_EQ(b.counters().applied, 2U);
}

TEST_F(SessionTest, WhatComesBeforeAGapIsFilledIsHeldBack) {
  const Text one = a.send("one", kOctets, now);
  const Text two = a.send("two", kOctets, now);
  const Text three = a.send("three", kOctets, now);
  EXPECT_THAT(deliver(three, b, now), IsEmpty());
  EXPECT_THAT(deliver(two, b, now), IsEmpty());
  EXPECT_FALSE(b.idle());
  EXPECT_THAT(deliver(one, b, now), ElementsAre("one", "two", "three"));
  EXPECT_EQ(b.counters().held_back, 2U);
  EXPECT_TRUE(b.idle());
}

TEST_F(SessionTest, ARepeatOfWhatIsHeldBackIsDropped) {
  (void)a.send("one", kOctets, now);
  const Text two = a.send("two", kOctets, now);
  deliver(two, b, now);
  deliver(two, b, now);
  EXPECT_EQ(b.counters().held_back, 1U);
  EXPECT_EQ(b.counters().repeated, 1U);
  EXPECT_THAT(deliver(batch(1, "one"), b, now), ElementsAre("one", "two"));
}

TEST_F(SessionTest, ARepeatIsDroppedAndConfirmedAtOnce) {
  const Text one = a.send("one", kOctets, now);
  deliver(one, b, now);
  EXPECT_THAT(ticked(b, now), IsEmpty()) << "a confirmation waits for something to ride on";
  // a --> b: 1 "one"          again: the peer has not received the confirmation
  EXPECT_THAT(deliver(one, b, now), IsEmpty());
  EXPECT_EQ(b.counters().repeated, 1U);
  EXPECT_EQ(b.next_deadline(), now);
  // a <-- b: confirmed 1
  const auto frames = ticked(b, now);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].seq, BatchSeq{0});
  EXPECT_EQ(frames[0].confirmed, BatchSeq{1});
}

// ===== confirmations =====

TEST_F(SessionTest, AConfirmationCoversEverythingBeforeItAndIsToldInOrder) {
  std::vector<Batch> confirmed;
  a.on_confirmed([&](const Batch& word) { confirmed.push_back(word); });
  for (const char* word : {"one", "two", "three"}) (void)a.send(word, kOctets, now);
  EXPECT_EQ(a.unconfirmed(), 3U);
  // a <-- b: confirmed 2
  deliver(confirmation(2), a, now);
  EXPECT_THAT(confirmed, ElementsAre("one", "two"));
  EXPECT_EQ(a.octets_in_flight(), kOctets);
  // a <-- b: confirmed 1      overtaken by the other: nothing new
  deliver(confirmation(1), a, now);
  EXPECT_EQ(a.unconfirmed(), 1U);
  deliver(confirmation(3), a, now);
  EXPECT_THAT(confirmed, ElementsAre("one", "two", "three"));
  EXPECT_TRUE(a.idle());
}

TEST_F(SessionTest, AConfirmationRidesOnABatchOfTheOtherDirection) {
  deliver(a.send("ask", kOctets, now), b, now);
  // a <-- b: 1 "answer", confirmed 1
  const Text answer = b.send("answer", kOctets, now);
  EXPECT_EQ(answer.confirmed, BatchSeq{1});
  EXPECT_GT(b.next_deadline(), now + limits.confirm_after) << "nothing is left to be confirmed";
  deliver(answer, a, now);
  EXPECT_EQ(a.unconfirmed(), 0U);
}

TEST_F(SessionTest, WithNothingToRideOnItGoesAloneAfterATime) {
  deliver(a.send("one", kOctets, now), b, now);
  EXPECT_EQ(b.next_deadline(), now + limits.confirm_after);
  EXPECT_THAT(ticked(b, now + limits.confirm_after - milliseconds{1}), IsEmpty());
  const auto frames = ticked(b, now + limits.confirm_after);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].confirmed, BatchSeq{1});
  EXPECT_THAT(ticked(b, now + limits.confirm_after), IsEmpty()) << "once";
}

TEST_F(SessionTest, HalfTheWindowUnconfirmedIsConfirmedAtOnce) {
  limits.batches_held_back = 8;
  TextEnd c{limits, now};
  for (std::uint64_t seq = 1; seq <= 3; ++seq) deliver(batch(seq, "x"), c, now);
  EXPECT_THAT(ticked(c, now), IsEmpty());
  deliver(batch(4, "x"), c, now);
  EXPECT_THAT(ticked(c, now), SizeIs(1));
}

// ===== credits =====

TEST_F(SessionTest, CreditEndsWithTheWindowAndComesBackWithAConfirmation) {
  limits.batches_in_flight = 2;
  TextEnd c{limits, now};
  (void)c.send("one", 1, now);
  EXPECT_TRUE(c.has_credit());
  (void)c.send("two", 1, now);
  EXPECT_FALSE(c.has_credit());
  deliver(confirmation(1), c, now);
  EXPECT_TRUE(c.has_credit());
}

TEST_F(SessionTest, CreditEndsWithTheOctets) {
  limits.octets_in_flight = 1000;
  TextEnd c{limits, now};
  (void)c.send("one", 999, now);
  EXPECT_TRUE(c.has_credit()) << "one octet is left";
  (void)c.send("two", 500, now);
  EXPECT_FALSE(c.has_credit());
  deliver(confirmation(1), c, now);
  EXPECT_TRUE(c.has_credit());
  EXPECT_EQ(c.octets_in_flight(), 500U);
}

TEST_F(SessionTest, OneBatchMayAlwaysGoHoweverLarge) {
  limits.octets_in_flight = 1;
  TextEnd c{limits, now};
  EXPECT_TRUE(c.has_credit());
  (void)c.send("huge", 1'000'000, now);
  EXPECT_FALSE(c.has_credit());
  deliver(confirmation(1), c, now);
  EXPECT_TRUE(c.has_credit());
}

TEST_F(SessionTest, TheEndThatAttachesTakesTheWindowItIsReported) {
  limits.batches_in_flight = 64;
  // If the peer's window is smaller, no more than that is sent. If it is
  // larger, the peer sends more.
  EXPECT_EQ(limits.agreed(16).batches_in_flight, 16U);
  EXPECT_EQ(limits.agreed(16).batches_held_back, 16U);
  EXPECT_EQ(limits.agreed(1024).batches_in_flight, 64U);
  EXPECT_EQ(limits.agreed(1024).batches_held_back, 1024U);
}

TEST(SessionDeathTest, SendingWithoutCreditIsOurOwnBug) {
  Limits limits;
  limits.batches_in_flight = 1;
  TextEnd end{limits, kOpened};
  (void)end.send("one", 1, kOpened);
  EXPECT_DEATH((void)end.send("two", 1, kOpened), "has_credit");
}

// ===== repeats =====

TEST_F(SessionTest, TheOldestIsSentAgainWithTheSameNumberAndLongerAndLongerWaits) {
  limits.resend_after = milliseconds{400};
  limits.resend_max = seconds{4};
  limits.give_up_after = seconds{60};
  limits.lease = seconds{60};
  TextEnd c{limits, now};
  const Text one = c.send("one", kOctets, now);  // lost
  (void)c.send("two", kOctets, now);             // lost
  TimePoint expected = now;
  for (const auto wait : {400, 800, 1600, 3200, 4000, 4000}) {
    expected += milliseconds{wait};
    // Heartbeats are sent in between; a frame with a number is the repeat.
    std::vector<Text> repeats;
    while (repeats.empty()) {
      now = c.next_deadline();
      for (const Text& frame : ticked(c, now)) {
        if (frame.seq != BatchSeq{0}) repeats.push_back(frame);
      }
    }
    EXPECT_EQ(now, expected);
    ASSERT_THAT(repeats, SizeIs(1)) << "only the oldest";
    EXPECT_EQ(repeats[0].seq, BatchSeq{1});
    EXPECT_EQ(repeats[0].batch, one.batch) << "the same batch, to the octet";
  }
  EXPECT_EQ(c.counters().resent, 6U);
  EXPECT_EQ(c.counters().sent, 2U);
}

TEST_F(SessionTest, AGapIsToldToThePeerSoonAndAtOnceWhenItIsFilled) {
  deliver(batch(2, "behind a gap"), a, now);
  EXPECT_EQ(a.next_deadline(), now + limits.gap_after);
  now += limits.gap_after;
  auto frames = ticked(a, now);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].confirmed, BatchSeq{0});
  deliver(batch(1, "fills it"), a, now);
  frames = ticked(a, now);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].confirmed, BatchSeq{2});
}

TEST_F(SessionTest, WhatAConfirmationLacksGoesAgainSoonerButNotBeforeItCouldHaveArrived) {
  (void)a.send("one", kOctets, now);  // lost
  deliver(confirmation(0), a, now + limits.gap_after - Duration{1});
  EXPECT_EQ(a.next_deadline(), now + limits.resend_after) << "it may be on its way";
  now += limits.gap_after;
  deliver(confirmation(0), a, now);
  auto frames = ticked(a, now);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].seq, BatchSeq{1});
  // The wait for the repeat is doubled.
  deliver(confirmation(0), a, now + limits.gap_after);
  EXPECT_THAT(ticked(a, now + limits.gap_after), IsEmpty());
  now += 2 * limits.gap_after;
  deliver(confirmation(0), a, now);
  EXPECT_THAT(ticked(a, now), SizeIs(1));
}

TEST_F(SessionTest, ARepeatCarriesTheNewestConfirmation) {
  (void)a.send("one", kOctets, now);  // lost
  deliver(batch(1, "other way"), a, now);
  now += limits.resend_after;
  const auto frames = ticked(a, now);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].confirmed, BatchSeq{1});
}

TEST_F(SessionTest, AfterProgressTheNextOneIsGivenAMomentBeforeItIsRepeated) {
  (void)a.send("one", kOctets, now);
  (void)a.send("two", kOctets, now);
  // Both are overdue when a slow peer confirms the first.
  now += limits.resend_after + milliseconds{5};
  deliver(confirmation(1), a, now);
  EXPECT_THAT(ticked(a, now), IsEmpty());
  EXPECT_EQ(a.next_deadline(), now + limits.repeat_gap);
  const auto frames = ticked(a, now + limits.repeat_gap);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].seq, BatchSeq{2});
}

// ===== gaps =====

TEST_F(SessionTest, APeerThatHoldsBatchesBackSaysSoWhenTheGapIsOldEnough) {
  (void)a.send("one", kOctets, now);  // lost
  deliver(a.send("two", kOctets, now), b, now);
  EXPECT_EQ(b.next_deadline(), now + limits.gap_after);
  // a <-- b: confirms nothing
  const auto frames = ticked(b, now + limits.gap_after);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].confirmed, BatchSeq{0});
  // a --> b: 1 "one", at once, long before its timer
  now += limits.gap_after;
  deliver(frames[0], a, now);
  const auto repeats = ticked(a, now);
  ASSERT_THAT(repeats, SizeIs(1));
  EXPECT_EQ(repeats[0].seq, BatchSeq{1});
  EXPECT_THAT(deliver(repeats[0], b, now), ElementsAre("one", "two"));
  // a <-- b: confirmed 2, at once: there may be another gap
  EXPECT_EQ(ticked(b, now).at(0).confirmed, BatchSeq{2});
}

TEST_F(SessionTest, APeerThatHasNotHadTimeToConfirmIsNotTakenToLackAnything) {
  (void)a.send("one", kOctets, now);
  now += limits.gap_after - milliseconds{1};
  deliver(confirmation(0), a, now);
  EXPECT_THAT(ticked(a, now), IsEmpty());
}

TEST_F(SessionTest, ItIsBelievedLessReadilyEachTime) {
  (void)a.send("one", kOctets, now);
  now += limits.gap_after;
  deliver(confirmation(0), a, now);
  EXPECT_THAT(ticked(a, now), SizeIs(1));
  now += limits.gap_after;
  deliver(confirmation(0), a, now);
  EXPECT_THAT(ticked(a, now), IsEmpty());
  now += limits.gap_after;
  deliver(confirmation(0), a, now);
  EXPECT_THAT(ticked(a, now), SizeIs(1));
}

// ===== the end of a session =====

TEST_F(SessionTest, ABatchThatIsNeverConfirmedEndsTheSession) {
  limits.lease = seconds{60};
  TextEnd c{limits, now};
  (void)c.send("one", kOctets, now);
  now += limits.give_up_after;
  EXPECT_EQ(c.next_deadline(), kOpened + limits.resend_after);
  const Error error = tick_refusal(c, now);
  EXPECT_EQ(error.code, ErrorCode::kTimeout);
  EXPECT_THAT(error.text, HasSubstr("batch 1 has not been confirmed for 20000 ms"));
}

TEST_F(SessionTest, GivingUpCountsFromTheFirstTransmissionNotFromTheLastRepeat) {
  limits.lease = seconds{60};
  TextEnd c{limits, now};
  (void)c.send("one", kOctets, now);
  std::vector<Text> frames;
  while (c.tick(now, frames)) now = c.next_deadline();
  EXPECT_EQ(now, kOpened + limits.give_up_after);
}

TEST_F(SessionTest, AnEndThatHearsNothingForTheLeaseEndsTheSession) {
  std::vector<Text> frames;
  while (a.tick(now, frames)) now = a.next_deadline();
  EXPECT_EQ(now, kOpened + limits.lease);
  EXPECT_THAT(tick_refusal(a, now).text, HasSubstr("nothing has been heard for 15000 ms"));
}

TEST_F(SessionTest, AnIdleEndSaysSomethingEveryHeartbeatAndSoTheLeaseNeverRunsOut) {
  int heard = 0;
  while (now < kOpened + 4 * limits.lease) {
    now = std::min(a.next_deadline(), b.next_deadline());
    for (const Text& frame : ticked(a, now)) {
      EXPECT_EQ(frame.seq, BatchSeq{0});
      EXPECT_EQ(frame.batch, nullptr);
      deliver(frame, b, now);
      ++heard;
    }
    for (const Text& frame : ticked(b, now)) deliver(frame, a, now);
  }
  EXPECT_EQ(heard, 4 * limits.lease / limits.heartbeat);
}

TEST_F(SessionTest, ABusyEndNeedsNoHeartbeat) {
  for (int i = 0; i < 10; ++i) {
    now += limits.heartbeat - milliseconds{1};
    const Text frame = a.send("x", kOctets, now);
    deliver(confirmation(frame.seq.value()), a, now);
    EXPECT_THAT(ticked(a, now), IsEmpty());
  }
}

// ===== refusals =====

TEST_F(SessionTest, ANumberBeyondTheWindowBreaksTheProtocol) {
  limits.batches_held_back = 4;
  TextEnd c{limits, now};
  EXPECT_THAT(deliver(batch(4, "x"), c, now), IsEmpty()) << "the last one that is allowed";
  const Error error = refusal(batch(5, "x"), c, now);
  EXPECT_EQ(error.code, ErrorCode::kProtocol);
  EXPECT_EQ(error.text, "batch 5 is beyond the window: 0 applied, 4 allowed");
  EXPECT_EQ(refusal(batch(UINT64_MAX, "x"), c, now).code, ErrorCode::kProtocol);
}

TEST_F(SessionTest, ConfirmingWhatWasNeverSentBreaksTheProtocol) {
  (void)a.send("one", kOctets, now);
  const Error error = refusal(confirmation(2), a, now);
  EXPECT_EQ(error.code, ErrorCode::kProtocol);
  EXPECT_EQ(error.text, "peer confirms batch 2, the last one sent is 1");
}

TEST_F(SessionTest, ANumberWithoutABatchBreaksTheProtocol) {
  const Error error = refusal({BatchSeq{1}, BatchSeq{0}, nullptr}, a, now);
  EXPECT_EQ(error.code, ErrorCode::kProtocol);
  EXPECT_EQ(error.text, "number 1 comes without a batch");
}

}  // namespace
}  // namespace xbind::session
