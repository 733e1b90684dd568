// What the log reports about a switch that is not connected.
#include "switchserver/switch_absence.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Eq;

class SwitchAbsenceTest : public testing::Test {
 protected:
  // The log lines of `during`, each at its deadline.
  std::vector<std::string> lines(Duration during) {
    const TimePoint end = now_ + during;
    std::vector<std::string> said;
    while (absence_.next_deadline() <= end) {
      now_ = absence_.next_deadline();
      const auto line = absence_.complaint(now_);
      if (!line) {
        ADD_FAILURE() << "a deadline that comes to nothing";
        break;
      }
      said.push_back(*line);
    }
    now_ = end;
    return said;
  }

  SwitchAbsence absence_{"127.0.0.1:1"};
  TimePoint now_ = TimePoint{} + std::chrono::hours{7};
};

TEST_F(SwitchAbsenceTest, OneThatIsNeverMetIsToldOfAgainAndAgainAndLessOften) {
  EXPECT_EQ(absence_.next_deadline(), kNever);
  absence_.away(now_);
  absence_.failed("127.0.0.1:1: connect: Connection refused");
  absence_.away(now_ + seconds{1});  // no change
  EXPECT_THAT(
      lines(seconds{15}),
      ElementsAre(
          "the switch at 127.0.0.1:1 has not been reached for 2.0 s: 127.0.0.1:1: connect: "
          "Connection refused; retrying",
          "the switch at 127.0.0.1:1 has not been reached for 6.0 s: 127.0.0.1:1: connect: "
          "Connection refused; retrying",
          "the switch at 127.0.0.1:1 has not been reached for 14.0 s: 127.0.0.1:1: connect: "
          "Connection refused; retrying"));
  EXPECT_FALSE(absence_.ever_met());
  EXPECT_EQ(absence_.away_for(now_), seconds{15});
  // Finally once a minute: at 30, 62 and 122 s of the first two and a half minutes.
  EXPECT_EQ(lines(seconds{135}).size(), 3u);
  EXPECT_EQ(lines(std::chrono::minutes{10}).size(), 10u);
  EXPECT_EQ(absence_.back(now_), "the switch at 127.0.0.1:1 is reached after 750.0 s");
  EXPECT_TRUE(absence_.ever_met());
}

TEST_F(SwitchAbsenceTest, AShortAbsenceIsNotWorthAWord) {
  absence_.away(now_);
  now_ += milliseconds{1900};
  EXPECT_EQ(absence_.complaint(now_), std::nullopt);
  EXPECT_EQ(absence_.back(now_), std::nullopt);
  EXPECT_EQ(absence_.next_deadline(), kNever);
  EXPECT_EQ(absence_.away_for(now_), std::nullopt);
  EXPECT_THAT(lines(seconds{60}), ElementsAre());
}

TEST_F(SwitchAbsenceTest, OneThatHasBeenMetIsAwayAndEachAbsenceBeginsAnew) {
  absence_.away(now_);
  EXPECT_EQ(lines(seconds{8}).size(), 2u);
  absence_.back(now_);
  absence_.away(now_);
  EXPECT_THAT(lines(seconds{3}), ElementsAre("the switch at 127.0.0.1:1 has been away for 2.0 s: "
                                             "it does not answer; retrying"));
  EXPECT_THAT(absence_.back(now_), Eq("the switch at 127.0.0.1:1 is back after 3.0 s"));
}

}  // namespace
}  // namespace xbind
