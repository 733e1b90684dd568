#include "core/attach_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xbind {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class AttachTableTest : public ::testing::Test {
 protected:
  static constexpr Attaching::Policy kPolicy{.back_off = {milliseconds{100}, seconds{2}},
                                             .answer_within = seconds{20}};
  static constexpr AttachTable::Limits kLimits{
      .peers_max = 754, .at_once = 4, .silent_at_once = 2, .silent_after = seconds{1}};

  void attach(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto wanted = table.attach(name, now);
      EXPECT_TRUE(wanted.has_value()) << wanted.error().text;
    }
  }
  // Begins every attempt that is due and has a place; returns the names of the peers.
  std::vector<std::string> take_all() {
    std::vector<std::string> names;
    while (const auto due = table.take(now)) {
      names.push_back(due->name);
      attempts[due->name] = due->attempt;
    }
    return names;
  }
  bool attached(const std::string& name) { return table.attached(name, attempts.at(name), now); }
  bool failed(const std::string& name) { return table.failed(name, attempts.at(name), now); }
  void wait(Duration time) { now += time; }
  Duration until_next() const { return table.next_deadline() - now; }

  AttachTable table{kPolicy, kLimits};
  std::map<std::string, Attaching::Attempt> attempts;  // the last attempt of each peer
  TimePoint now{hours{7}};
};

TEST_F(AttachTableTest, EveryPeerIsAttemptedInTheOrderInWhichItFellDue) {
  attach({"z"});
  wait(Duration{1});
  attach({"a"});
  wait(Duration{1});
  attach({"m"});
  EXPECT_THAT(take_all(), ElementsAre("z", "a", "m"));
  EXPECT_THAT(take_all(), IsEmpty());
}

TEST_F(AttachTableTest, NoMoreAttemptsThanPlacesAreUnderWay) {
  attach({"a", "b", "c", "d", "e"});
  EXPECT_THAT(take_all(), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(until_next(), kPolicy.answer_within) << "e waits for a place, not for the clock";
  EXPECT_TRUE(attached("c"));
  EXPECT_EQ(until_next(), Duration::zero());
  EXPECT_THAT(take_all(), ElementsAre("e"));
}

TEST_F(AttachTableTest, OneThatFailsWaitsAndHoldsUpNobody) {
  attach({"a", "b"});
  take_all();
  failed("a");
  EXPECT_TRUE(attached("b"));
  EXPECT_EQ(until_next(), milliseconds{100});
  EXPECT_THAT(take_all(), IsEmpty());
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("a"));
  failed("a");
  EXPECT_EQ(until_next(), milliseconds{200});
}

TEST_F(AttachTableTest, ToWantWhatWaitsOrIsUnderWayChangesNothing) {
  attach({"a"});
  take_all();
  attach({"a"});
  EXPECT_THAT(take_all(), IsEmpty());
  failed("a");
  attach({"a"});
  EXPECT_EQ(until_next(), milliseconds{100});
}

TEST_F(AttachTableTest, ALostSessionIsAttemptedAgain) {
  attach({"a"});
  take_all();
  EXPECT_TRUE(attached("a"));
  EXPECT_EQ(table.next_deadline(), kNever);
  attach({"a"});
  EXPECT_EQ(until_next(), milliseconds{100}) << "it was a short one";
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("a"));
  attached("a");
  wait(seconds{2});
  attach({"a"});
  EXPECT_EQ(until_next(), milliseconds{100}) << "it has lasted";
}

TEST_F(AttachTableTest, EachPeerHasAJitterOfItsOwn) {
  ASSERT_TRUE(table.attach("a", now, 1).has_value());
  ASSERT_TRUE(table.attach("b", now, 0).has_value());
  take_all();
  failed("a");
  failed("b");
  EXPECT_EQ(until_next(), milliseconds{50});
  wait(milliseconds{50});
  EXPECT_THAT(take_all(), ElementsAre("a"));
  EXPECT_EQ(until_next(), milliseconds{50});
  wait(kPolicy.answer_within);  // this also holds after an overdue answer
  EXPECT_THAT(take_all(), ElementsAre("b"));
  EXPECT_EQ(until_next(), milliseconds{100});
}

TEST_F(AttachTableTest, AnOverdueAttemptGivesItsPlaceAndItsAnswerIsLate) {
  attach({"a", "b", "c", "d", "e"});
  take_all();
  const auto first = attempts.at("a");
  wait(kPolicy.answer_within);
  EXPECT_THAT(take_all(), ElementsAre("e"));
  EXPECT_FALSE(table.attached("a", first, now));
  EXPECT_FALSE(table.failed("a", first, now));
  EXPECT_EQ(until_next(), milliseconds{100});
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("a", "b")) << "the silent ones get two places";
  EXPECT_FALSE(table.attached("a", first, now));
  EXPECT_TRUE(attached("a"));
  EXPECT_FALSE(table.attached("nobody", 1, now));
  EXPECT_FALSE(table.failed("nobody", 1, now));
}

TEST_F(AttachTableTest, SilentPeersLeavePlacesToOthers) {
  attach({"s1", "s2", "s3", "s4"});
  take_all();
  wait(seconds{5});
  for (const char* silent : {"s1", "s2", "s3", "s4"}) failed(silent);
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("s1", "s2"));
  EXPECT_EQ(until_next(), kPolicy.answer_within) << "s3 waits for a place";
  attach({"a", "b", "c"});
  EXPECT_THAT(take_all(), ElementsAre("a", "b"));
  failed("a");  // at once, because the peer is not silent
  attached("b");
  EXPECT_THAT(take_all(), ElementsAre("c"));
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("a"));
  wait(seconds{5});
  attached("s1");
  EXPECT_THAT(take_all(), ElementsAre("s3"));
}

TEST_F(AttachTableTest, OneThatAnswersAgainIsNotSilentAnyMore) {
  attach({"s1", "s2", "s3"});
  take_all();
  wait(seconds{1});
  for (const char* silent : {"s1", "s2", "s3"}) failed(silent);
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), ElementsAre("s1", "s2"));
  failed("s1");
  EXPECT_THAT(take_all(), ElementsAre("s3"));
  wait(milliseconds{200});
  EXPECT_THAT(take_all(), ElementsAre("s1")) << "a third place";
}

TEST_F(AttachTableTest, AnAttemptToOneThatIsNotKnownAsSilentIsShort) {
  attach({"a"});
  EXPECT_EQ(table.take(now)->patience, kLimits.silent_after);
  wait(kLimits.silent_after);
  EXPECT_TRUE(table.failed("a", 1, now));
  wait(milliseconds{100});
  EXPECT_EQ(table.take(now)->patience, Attaching::kUnbounded);
}

TEST_F(AttachTableTest, SessionsThatEndedBySilenceLeavePlacesToOthers) {
  const std::vector<std::string> silent{"s1", "s2", "s3", "s4"};
  attach(silent);
  take_all();
  for (const std::string& name : silent) attached(name);
  attach({"a"});
  take_all();
  attached("a");
  wait(seconds{10});
  for (const std::string& name : silent) {
    ASSERT_TRUE(table.attach(name, now, 0, AttachTable::Lost::kBySilence).has_value());
  }
  attach({"a"});
  wait(milliseconds{100});
  EXPECT_THAT(take_all(), UnorderedElementsAre("s1", "s2", "a")) << "s3 and s4 wait for a place";
}

TEST_F(AttachTableTest, OneThatIsGivenUpIsNotAttemptedUntilItIsWantedAgain) {
  attach({"a", "b"});
  take_all();
  table.give_up("a");
  failed("b");
  table.give_up("b");
  table.give_up("nobody");
  EXPECT_FALSE(attached("a"));
  EXPECT_EQ(table.next_deadline(), kNever);
  attach({"a", "b", "c", "d", "e"});
  EXPECT_THAT(take_all(), ElementsAre("a", "b", "c", "d")) << "their places are free";
}

TEST_F(AttachTableTest, OnePeerTooManyIsRefusedAndTheOthersAttach) {
  for (std::size_t i = 0; i < kLimits.peers_max; ++i) attach({fmt::format("switch-{:03}", i)});
  const auto refused = table.attach("one-more", now);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
  EXPECT_EQ(refused.error().text, "peer 'one-more' is one more than 754");
  attach({"switch-000"});
  std::size_t there = 0;
  for (auto names = take_all(); !names.empty(); names = take_all()) {
    for (const std::string& name : names) there += attached(name) ? 1 : 0;
  }
  EXPECT_EQ(there, kLimits.peers_max);
  EXPECT_EQ(table.next_deadline(), kNever);
}

}  // namespace
}  // namespace xbind
