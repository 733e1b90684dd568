#include "client/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::client {
namespace {

using ::testing::HasSubstr;

Outcome outcome(OutcomeKind kind, Cause cause = Cause::kNone) {
  Outcome it;
  it.request = RequestId{7};
  it.kind = kind;
  it.cause = cause;
  return it;
}

TEST(AnswersTest, AConnectionThatIsUpHasItsLabels) {
  Outcome up = outcome(OutcomeKind::kConnected);
  up.connection = ConnectionId{12};
  up.ingress = atm_label(0, 32);
  up.egress = atm_label(0, 48);
  const auto it = connected(up);
  ASSERT_TRUE(it.has_value());
  EXPECT_EQ(it->connection, ConnectionId{12});
  EXPECT_EQ(it->ingress, atm_label(0, 32));
  EXPECT_EQ(it->egress, atm_label(0, 48));
  EXPECT_FALSE(it->reverse_ingress.present());
}

TEST(AnswersTest, ARefusalSaysWhatToDoAndWhatTheNumbersWere) {
  Outcome no = outcome(OutcomeKind::kRefused, Cause::kNoBandwidth);
  no.element = "switch-1 port 2";
  no.asked = 12'000;
  no.free = 9'700;
  const auto it = connected(no);
  ASSERT_FALSE(it.has_value());
  EXPECT_EQ(it.error().code, ErrorCode::kExhausted);
  EXPECT_THAT(it.error().text, HasSubstr("switch-1 port 2"));
  EXPECT_THAT(it.error().text, HasSubstr("9700"));
}

TEST(AnswersTest, BusyIsARefusalTooAndOtherKindsAreNoAnswer) {
  EXPECT_EQ(held(outcome(OutcomeKind::kBusy, Cause::kBusy)).error().code, ErrorCode::kExhausted);
  EXPECT_TRUE(held(outcome(OutcomeKind::kHeld)).has_value());
  EXPECT_TRUE(done(OutcomeKind::kReleased, outcome(OutcomeKind::kReleased)).has_value());
  const auto other = done(OutcomeKind::kReleased, outcome(OutcomeKind::kModified));
  EXPECT_EQ(other.error().code, ErrorCode::kProtocol);
  EXPECT_THAT(other.error().text, HasSubstr("request 7"));
}

TEST(AnswersTest, WithoutAnOutcomeTheErrorIsHandedOn) {
  const Error fenced{ErrorCode::kFenced, "a newer epoch"};
  EXPECT_EQ(connected(tl::make_unexpected(fenced)).error(), fenced);
}

}  // namespace
}  // namespace xbind::client
