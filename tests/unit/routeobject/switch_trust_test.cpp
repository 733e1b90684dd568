// When a switch is trusted. Options: lost after 3 s, silent after 15 s, trusted after 5 s.
#include "routeobject/switch_trust.hpp"

#include <gtest/gtest.h>

namespace xbind {
namespace {

using std::chrono::seconds;

class SwitchTrustTest : public ::testing::Test {
 protected:
  void hears(int at_s, bool under_control) { trust_.heard(under_control, options_, at(at_s)); }
  // Whether the switch is unknown then.
  bool unknown(int at_s) {
    trust_.tick(options_, awake_since_, at(at_s));
    return trust_.unknown();
  }
  static TimePoint at(int second) { return TimePoint{} + std::chrono::hours{7} + seconds{second}; }

  SwitchTrustOptions options_;
  TimePoint awake_since_{};
  SwitchTrust trust_;
};

TEST_F(SwitchTrustTest, OfOneThatNeverReportsNothingIsConcluded) {
  EXPECT_FALSE(unknown(1'000'000));
  EXPECT_FALSE(trust_.is_silent());
}

TEST_F(SwitchTrustTest, OneThatIsLostIsUnknownAfterAWhileAndTrustedAfterAnother) {
  hears(0, true);
  hears(10, false);
  EXPECT_FALSE(unknown(12));
  EXPECT_TRUE(unknown(13));
  EXPECT_EQ(trust_.in_doubt_since(), at(10));
  hears(15, false);
  EXPECT_EQ(trust_.in_doubt_since(), at(10));
  hears(20, true);
  EXPECT_TRUE(unknown(24));
  EXPECT_FALSE(unknown(25));
  // It begins anew.
  hears(26, false);
  EXPECT_FALSE(unknown(28));
  EXPECT_TRUE(unknown(29));
}

TEST_F(SwitchTrustTest, AShortLossIsNone) {
  hears(0, true);
  hears(10, false);
  hears(12, true);
  EXPECT_FALSE(unknown(16));
  hears(17, false);  // after five seconds of control the clock begins anew
  EXPECT_FALSE(unknown(19));
  EXPECT_TRUE(unknown(20));
}

TEST_F(SwitchTrustTest, ASessionThatComesAndGoesBecomesUnknownOnceAndStaysSo) {
  hears(0, true);
  int changes = 0;
  bool was = false;
  // Two seconds of control, two without, in turn.
  for (int second = 10; second < 100; ++second) {
    if (second % 2 == 0) hears(second, second % 4 == 0);
    if (unknown(second) != was) ++changes;
    was = trust_.unknown();
  }
  EXPECT_TRUE(was);
  EXPECT_EQ(changes, 1);
  hears(100, true);
  EXPECT_FALSE(unknown(105));
}

TEST_F(SwitchTrustTest, SilenceMakesItUnknownAndAWordAfterItHasToProveItself) {
  hears(0, true);
  EXPECT_FALSE(unknown(14));
  EXPECT_TRUE(unknown(15));
  EXPECT_TRUE(trust_.is_silent());
  EXPECT_EQ(trust_.in_doubt_since(), at(0));
  hears(30, true);  // from a restarted SwitchServer
  EXPECT_FALSE(trust_.is_silent());
  EXPECT_TRUE(unknown(34));
  EXPECT_FALSE(unknown(35));
}

TEST_F(SwitchTrustTest, WhoFallsSilentWhileItProvesItselfBeginsAnew) {
  options_.trust = seconds{40};
  hears(0, true);
  EXPECT_TRUE(unknown(15));
  hears(20, true);
  EXPECT_TRUE(unknown(35));
  EXPECT_TRUE(trust_.is_silent());
  hears(50, true);
  EXPECT_TRUE(unknown(60));  // forty seconds after the first report
}

TEST_F(SwitchTrustTest, NobodyHearsWhileHeSleeps) {
  hears(0, true);
  awake_since_ = at(100);
  EXPECT_FALSE(unknown(101));
  EXPECT_FALSE(unknown(114));
  EXPECT_TRUE(unknown(115));
}

TEST_F(SwitchTrustTest, WhoCannotHearConcludesNothingFromSilenceButFromWords) {
  hears(0, true);
  awake_since_ = kNever;
  EXPECT_FALSE(unknown(1'000));
  hears(1'001, false);
  EXPECT_TRUE(unknown(1'004));
}

TEST_F(SwitchTrustTest, SilenceMayBeLeftOutOfAccount) {
  options_.silent = Duration::zero();
  hears(0, true);
  EXPECT_FALSE(unknown(1'000'000));
}

TEST_F(SwitchTrustTest, OneThatIsNeverMetIsUnknownAndTrustedAsSoonAsItIs) {
  hears(0, false);
  EXPECT_FALSE(unknown(2));
  EXPECT_TRUE(unknown(3));
  hears(60, true);
  EXPECT_FALSE(unknown(60));
  // Only the first time.
  hears(70, false);
  EXPECT_TRUE(unknown(73));
  hears(74, true);
  EXPECT_TRUE(unknown(78));
}

TEST_F(SwitchTrustTest, AWordThatComesBeforeTheTickDoesNotUndoWhatWasDue) {
  hears(0, true);
  hears(10, false);
  hears(20, true);  // no tick in the meantime
  EXPECT_TRUE(trust_.unknown());
}

}  // namespace
}  // namespace xbind
