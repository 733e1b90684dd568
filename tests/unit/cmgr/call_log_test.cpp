#include "cmgr/parts/call_log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xbind::cmgr {
namespace {

using std::chrono::seconds;

constexpr TimePoint kStart{seconds{1'000}};
constexpr Moment kLater{kStart + seconds{5}, 1'795'673'564'000};

class Log : public testing::Test {
 protected:
  CallEndsTable table_;
  CallEndsRef ends_ = table_.get("host-a", "host-b");
  CallLog log_;
};

TEST_F(Log, AnOutcomeIsAnEventOfItsClientWithTheEndsOfTheCall) {
  Outcome connected;
  connected.request = RequestId{7};
  connected.connection = ConnectionId{29'849};
  log_.outcome(connected, "load", ends_.get());
  log_.stamp(kStart);
  const EventPage page = log_.page(0, 10, kLater);
  ASSERT_EQ(page.events.size(), 1U);
  const xbind::Event& event = page.events[0];
  EXPECT_EQ(event.number, 1U);
  EXPECT_EQ(event.at_ms, kLater.utc_ms - 5'000);
  EXPECT_EQ(event.kind, EventKind::kConnected);
  EXPECT_EQ(event.object, "load");
  EXPECT_EQ(event.connection, ConnectionId{29'849});
  EXPECT_EQ(event.request, RequestId{7});
  EXPECT_EQ(event.from, "host-a");
  EXPECT_EQ(event.to, "host-b");
  EXPECT_EQ(event.cause, Cause::kNone);
}

TEST_F(Log, AnEndThatNobodyAskedForIsAnEventOfTheOwner) {
  log_.ended(EndWhy::kHoldExpired, ConnectionId{7}, "load", ends_.get());
  log_.ended(EndWhy::kByForce, ConnectionId{8}, "load", ends_.get());
  log_.stamp(kStart);
  const EventPage page = log_.page(0, 10, kLater);
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.events[0].kind, EventKind::kEnded);
  EXPECT_EQ(page.events[0].object, "load");
  EXPECT_EQ(page.events[0].cause, Cause::kHoldExpired);
  EXPECT_EQ(page.events[1].cause, Cause::kNone);
  EXPECT_EQ(page.events[1].text, "an operator has ended it by force");
  EXPECT_EQ(page.events[1].to, "host-b");
}

TEST_F(Log, ARefusalSaysWhyAndWhere) {
  Outcome refused;
  refused.kind = OutcomeKind::kRefused;
  refused.cause = Cause::kNoBandwidth;
  refused.element = "switch-1 port 2";
  refused.asked = 400;
  refused.free = 100;
  refused.reason = "a\x1b[2J";
  log_.outcome(refused, "load", nullptr);
  log_.stamp(kStart);
  const xbind::Event event = log_.page(0, 10, kLater).events.at(0);
  EXPECT_EQ(event.kind, EventKind::kRefused);
  EXPECT_EQ(event.cause, Cause::kNoBandwidth);
  EXPECT_EQ(event.element, "switch-1 port 2");
  EXPECT_EQ(event.asked, 400U);
  EXPECT_EQ(event.free, 100U);
  EXPECT_EQ(event.text, "a\\x1b[2J");
  EXPECT_EQ(event.from, "");
}

TEST_F(Log, AnEventIsReadOnceItsStepIsOver) {
  log_.outcome({}, "load", ends_.get());
  EXPECT_TRUE(log_.page(0, 10, kLater).events.empty());
  EXPECT_EQ(log_.page(0, 10, kLater).newest, 0U);
  log_.stamp(kStart);
  EXPECT_EQ(log_.page(0, 10, kLater).newest, 1U);
}

TEST_F(Log, ARecordThatIsOverwrittenLeavesNothingBehind) {
  Outcome refused;
  refused.kind = OutcomeKind::kBusy;
  refused.element = "switch-1";
  refused.reason = "too many";
  refused.cause = Cause::kBusy;
  for (std::size_t i = 0; i < CallLog::kEvents; ++i) log_.outcome(refused, "load", ends_.get());
  log_.notice(NoticeKind::kMended, ConnectionId{5}, "x", nullptr, {});
  log_.stamp(kStart);
  const xbind::Event event = log_.page(CallLog::kEvents, 10, kLater).events.at(0);
  EXPECT_EQ(event.kind, EventKind::kMended);
  EXPECT_EQ(event.object, "x");
  EXPECT_EQ(event.element + event.text + event.from, "");
  EXPECT_EQ(event.cause, Cause::kNone);
  EXPECT_EQ(log_.page(0, 10, kLater).lost, 1U);
}

TEST_F(Log, EndsAreKeptAsLongAsARecordHasThem) {
  log_.outcome({}, "load", ends_.get());
  ends_.reset();
  EXPECT_EQ(table_.size(), 1U);
  for (std::size_t i = 0; i < CallLog::kEvents; ++i) log_.outcome({}, "load", nullptr);
  EXPECT_EQ(table_.size(), 0U);
}

}  // namespace
}  // namespace xbind::cmgr
