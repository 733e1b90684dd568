// What is reported to the Router about a switch's ports, report by report.
#include "switchserver/port_reporter.hpp"

#include <gmock/gmock.h>

#include "ledger_fixture.hpp"
#include "tests/unit/deadlines.hpp"

namespace xbind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Ne;

class PortReporterTest : public testing::Test {
 protected:
  // Two ports of 1000 cells/s, nothing taken. Defaults: a threshold of a tenth, 200 ms, 5 s.
  void SetUp() override { ports_ = {port(1), port(2)}; }

  static ReportedPort port(std::uint32_t id) { return {PortId{id}, true, 1000, 1000}; }

  // What the owner does after each step.
  std::optional<SwitchReport> step() {
    if (reporter_.look_due() <= now_) {
      ++looks_;
      reporter_.look(ports_, now_);
    }
    auto report = reporter_.take(now_);
    EXPECT_TRUE(sleeps(reporter_.next_deadline(), now_));
    return report;
  }
  // Acts as the owner's timer: from deadline to deadline, for `at_most` or until a report is due.
  std::optional<SwitchReport> wait(Duration at_most) {
    const TimePoint end = now_ + at_most;
    for (int steps = 0; steps < 1000; ++steps) {
      const TimePoint next = reporter_.next_deadline();
      if (next > end) {
        now_ = end;
        return std::nullopt;
      }
      now_ = std::max(now_, next);
      if (auto report = step()) return report;
    }
    ADD_FAILURE() << "deadlines that come to nothing";
    return std::nullopt;
  }
  void arrives() { reporter_.report_answered(true, Epoch{7}, now_); }
  void fails() { reporter_.report_failed(now_); }
  // The switch is up and has been reported.
  void begin() {
    reporter_.switch_up(now_);
    ASSERT_THAT(step(), Ne(std::nullopt));
    arrives();
  }
  void hops_take(std::size_t index, std::uint64_t cells_per_s) {
    ports_[index].free_cells_per_s = ports_[index].cells_per_s - cells_per_s;
    reporter_.books_moved(now_);
  }

  PortReporter reporter_{PortReporterOptions{}};
  std::vector<ReportedPort> ports_;
  TimePoint now_ = TimePoint{} + std::chrono::hours{7};
  int looks_ = 0;
};

TEST_F(PortReporterTest, NothingIsSaidBeforeTheSwitchIsThere) {
  EXPECT_EQ(reporter_.next_deadline(), kNever);
  reporter_.books_moved(now_);
  reporter_.ports_changed(now_);
  EXPECT_EQ(reporter_.next_deadline(), kNever);
  EXPECT_EQ(wait(std::chrono::hours{1}), std::nullopt);
}

TEST_F(PortReporterTest, TheSwitchComesAndAllPortsAreReported) {
  reporter_.switch_up(now_);
  const auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(report->number, 1u);
  EXPECT_EQ(report->ports, ports_);
}

// Begins without an incarnation, keeps the one it is given, and begins again when it is not taken.
TEST_F(PortReporterTest, AnIncarnationIsGivenAndKept) {
  reporter_.switch_up(now_);
  EXPECT_EQ(step()->incarnation, Epoch{});
  fails();
  EXPECT_EQ(wait(std::chrono::minutes{1})->incarnation, Epoch{}) << "no answer came";
  arrives();
  EXPECT_EQ(wait(std::chrono::minutes{1})->incarnation, Epoch{7});
  fails();
  EXPECT_EQ(wait(std::chrono::minutes{1})->incarnation, Epoch{7});
  reporter_.report_answered(false, Epoch{9}, now_);
  const auto again = wait(std::chrono::minutes{1});
  EXPECT_EQ(again->incarnation, Epoch{});
  EXPECT_EQ(again->ports, ports_);
}

TEST_F(PortReporterTest, ALineThatGoesDownIsToldAtOnce) {
  begin();
  ports_[1].up = false;
  reporter_.ports_changed(now_);  // immediately after the last report
  const auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(report->number, 2u);
  EXPECT_EQ(report->ports, ports_);
  arrives();
  ports_[1].up = true;
  reporter_.ports_changed(now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
}

TEST_F(PortReporterTest, AChangedThresholdAndRefreshCountFromTheNextReport) {
  begin();
  PortReporterOptions options;
  options.threshold = 0.01;
  options.refresh = std::chrono::seconds{1};
  reporter_.change(options);
  hops_take(0, 20);
  EXPECT_THAT(wait(options.interval), Ne(std::nullopt)) << "a fiftieth is worth telling now";
  arrives();
  EXPECT_EQ(wait(milliseconds{999}), std::nullopt);
  EXPECT_THAT(wait(milliseconds{1}), Ne(std::nullopt)) << "the refresh";
}

TEST_F(PortReporterTest, SoAreAnotherRateAndPortsThatComeAndGo) {
  begin();
  ports_[0] = {PortId{1}, true, 500, 500};
  reporter_.ports_changed(now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  ports_.push_back(port(3));
  reporter_.ports_changed(now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  ports_.erase(ports_.begin());
  reporter_.ports_changed(now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  reporter_.ports_changed(now_);  // a change that is not reported, such as labels
  EXPECT_EQ(step(), std::nullopt);
}

TEST_F(PortReporterTest, FreeBandwidthIsToldWhenMoreThanTheThresholdHasMoved) {
  begin();
  hops_take(0, 100);  // a tenth, which does not exceed the threshold
  EXPECT_EQ(wait(milliseconds{4000}), std::nullopt);
  hops_take(0, 101);
  const auto report = wait(milliseconds{200});
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(report->ports[0].free_cells_per_s, 899u);
  arrives();
  hops_take(0, 1);  // measured from the last report, in both directions
  EXPECT_EQ(wait(milliseconds{1000}), std::nullopt);
  hops_take(0, 0);
  EXPECT_THAT(wait(milliseconds{200}), Ne(std::nullopt));
}

TEST_F(PortReporterTest, ManyOperationsMakeOneLookAndOneReportAnInterval) {
  begin();
  looks_ = 0;
  int reports = 0;
  for (int millisecond = 1; millisecond <= 1000; ++millisecond) {
    now_ += milliseconds{1};
    hops_take(0, millisecond % 2 == 0 ? 900 : 0);
    hops_take(1, static_cast<std::uint64_t>(millisecond));  // rises by a tenth in 100 ms
    if (step()) {
      ++reports;
      arrives();
    }
  }
  EXPECT_EQ(looks_, 5);
  EXPECT_EQ(reports, 5);
}

TEST_F(PortReporterTest, AnIdleSwitchIsLookedAtAndToldOfEveryRefresh) {
  begin();
  looks_ = 0;
  const TimePoint began = now_;
  for (std::uint64_t number = 2; number < 5; ++number) {
    const auto report = wait(std::chrono::seconds{5});
    ASSERT_THAT(report, Ne(std::nullopt));
    EXPECT_EQ(report->number, number);
    arrives();
  }
  EXPECT_EQ(now_ - began, std::chrono::seconds{15});
  EXPECT_EQ(looks_, 3);
}

// A port that has gone down is reported at once also under load.
TEST_F(PortReporterTest, HopsThatComeAndGoDoNotPostponeALook) {
  begin();
  ports_[1].up = false;
  reporter_.ports_changed(now_);
  reporter_.books_moved(now_);
  EXPECT_EQ(reporter_.look_due(), now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  reporter_.report_now(now_);
  reporter_.books_moved(now_);
  EXPECT_EQ(reporter_.look_due(), now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  reporter_.switch_down(now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  reporter_.switch_up(now_);
  reporter_.books_moved(now_);
  EXPECT_EQ(reporter_.look_due(), now_);
  EXPECT_THAT(step(), Ne(std::nullopt));
  arrives();
  hops_take(0, 1);
  const TimePoint due = reporter_.look_due();
  EXPECT_EQ(due, now_ + milliseconds{200});
  now_ += milliseconds{100};
  hops_take(0, 2);
  EXPECT_EQ(reporter_.look_due(), due) << "nor the look that they have made due themselves";
}

TEST_F(PortReporterTest, TheRefreshCountsFromTheReportHoweverLateItsAnswerComes) {
  reporter_.switch_up(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  const TimePoint sent = now_;
  EXPECT_EQ(wait(seconds{3}), std::nullopt);
  arrives();
  ASSERT_THAT(wait(seconds{5}), Ne(std::nullopt));
  EXPECT_EQ(now_ - sent, seconds{5});
  EXPECT_EQ(wait(seconds{7}), std::nullopt) << "no second report while one is under way";
  arrives();
  ASSERT_THAT(wait(seconds{5}), Ne(std::nullopt));
  EXPECT_EQ(now_ - sent, seconds{12}) << "at once";
  arrives();
  EXPECT_EQ(wait(seconds{5} - Duration{1}), std::nullopt);
  EXPECT_THAT(wait(Duration{1}), Ne(std::nullopt));
}

TEST_F(PortReporterTest, OneReportAtATimeIsUnderWay) {
  begin();
  ports_[0].up = false;
  reporter_.ports_changed(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  ports_[1].up = false;
  reporter_.ports_changed(now_);
  EXPECT_EQ(wait(std::chrono::seconds{30}), std::nullopt);
  arrives();
  const auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_FALSE(report->ports[1].up);
}

TEST_F(PortReporterTest, AfterAFailureThePauseDoublesAndWhatIsTrueThenIsTold) {
  reporter_.switch_up(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  std::vector<milliseconds> pauses;
  std::uint64_t number = 1;
  for (int attempt = 0; attempt < 7; ++attempt) {
    fails();
    const TimePoint failed = now_;
    ports_[0].up = !ports_[0].up;
    reporter_.ports_changed(now_);  // does not shorten the pause
    const auto report = wait(std::chrono::minutes{1});
    ASSERT_THAT(report, Ne(std::nullopt));
    EXPECT_EQ(report->ports, ports_);
    EXPECT_EQ(report->number, ++number);
    pauses.push_back(std::chrono::duration_cast<milliseconds>(now_ - failed));
  }
  EXPECT_THAT(pauses, ElementsAre(milliseconds{200}, milliseconds{400}, milliseconds{800},
                                  milliseconds{1600}, milliseconds{3200}, milliseconds{5000},
                                  milliseconds{5000}));
  arrives();
  ports_[1].up = false;
  reporter_.ports_changed(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  fails();
  const TimePoint failed = now_;
  ASSERT_THAT(wait(std::chrono::minutes{1}), Ne(std::nullopt));
  EXPECT_EQ(now_ - failed, milliseconds{200});  // the back-off begins anew
}

TEST_F(PortReporterTest, ALostControlChannelSaysNothingOfTheLines) {
  begin();
  reporter_.switch_down(now_);
  hops_take(0, 900);
  reporter_.ports_changed(now_);
  // It reports the loss at once, and again at every refresh.
  auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(report->number, 2u);
  EXPECT_THAT(report->ports, testing::IsEmpty());
  arrives();
  const TimePoint report_ended = now_;
  report = wait(std::chrono::hours{1});
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_THAT(report->ports, testing::IsEmpty());
  EXPECT_EQ(now_ - report_ended, std::chrono::seconds{5});
  arrives();
  reporter_.switch_up(now_);
  report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(report->ports, ports_);
}

TEST_F(PortReporterTest, ASwitchThatIsNeverMetIsToldOfToo) {
  reporter_.switch_down(now_);
  auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_THAT(report->ports, testing::IsEmpty());
  fails();
  const TimePoint failed = now_;
  report = wait(std::chrono::hours{1});
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_EQ(now_ - failed, milliseconds{200});
  EXPECT_THAT(report->ports, testing::IsEmpty());
  EXPECT_EQ(looks_, 0);
}

TEST_F(PortReporterTest, ASwitchThatIsLostWhileAReportIsUnderWayIsToldOfAfterIt) {
  begin();
  ports_[0].up = false;
  reporter_.ports_changed(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  reporter_.switch_down(now_);
  EXPECT_EQ(step(), std::nullopt);
  arrives();
  const auto report = step();
  ASSERT_THAT(report, Ne(std::nullopt));
  EXPECT_THAT(report->ports, testing::IsEmpty());
}

TEST_F(PortReporterTest, AReportThatArrivesAfterTheSwitchWasAwayDoesNotStandForTheWhole) {
  begin();
  ports_[0].up = false;
  reporter_.ports_changed(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  reporter_.switch_down(now_);
  reporter_.switch_up(now_);
  EXPECT_EQ(step(), std::nullopt);  // one report at a time
  arrives();
  EXPECT_THAT(step(), Ne(std::nullopt));
}

TEST_F(PortReporterTest, WithThresholdZeroEveryMoveIsWorthAReport) {
  reporter_ = PortReporter({.threshold = 0});
  begin();
  hops_take(0, 1);
  EXPECT_THAT(wait(milliseconds{200}), Ne(std::nullopt));
}

TEST_F(PortReporterTest, AnIntervalAboveTheRefreshDoesNotHoldItUp) {
  reporter_ =
      PortReporter({.interval = std::chrono::seconds{60}, .refresh = std::chrono::seconds{1}});
  begin();
  hops_take(0, 900);
  const TimePoint began = now_;
  EXPECT_THAT(wait(std::chrono::seconds{60}), Ne(std::nullopt));
  EXPECT_EQ(now_ - began, std::chrono::seconds{1});
}

class ReportedPortsTest : public LedgerTest {};

TEST_F(ReportedPortsTest, QuotasCountAsFreeAndHopsAsTaken) {
  ledger.grants().grant_quota(a, kOut, {600, 100});
  committed(a, first(1, cache_one(a), {150, 0}));
  EXPECT_EQ(ledger.usage(kOut)->taken.cells_per_s, 600u);
  EXPECT_THAT(
      reported_ports(ledger),
      ElementsAre(ReportedPort{kIn, true, 1000, 1000}, ReportedPort{PortId{2}, true, 1000, 1000},
                  ReportedPort{kTrunk, true, 1000, 1000}, ReportedPort{kOut, true, 1000, 850}));
}

TEST_F(ReportedPortsTest, ALineThatHasShrunkBelowItsHopsHasNothingFree) {
  committed(a, first(1, cache_one(a), {150, 0}));
  std::vector<SwitchPort> shrunk = ports(1000);
  shrunk[3].cells_per_s = 100;
  shrunk[3].up = false;
  shrunk.erase(shrunk.begin());
  ledger.set_ports(shrunk);
  EXPECT_THAT(reported_ports(ledger), ElementsAre(ReportedPort{PortId{2}, true, 1000, 1000},
                                                  ReportedPort{kTrunk, true, 1000, 1000},
                                                  ReportedPort{kOut, false, 100, 0}));
}

TEST_F(ReportedPortsTest, OverbookingRaisesWhatMayBePromised) {
  Ledger twice{{.overbooking = 2.0}};
  twice.set_ports(ports(1000));
  EXPECT_EQ(reported_ports(twice)[0], (ReportedPort{kIn, true, 2000, 2000}));
}

TEST_F(PortReporterTest, AReportThatSomebodyWantsGoesAtOnceAlsoWhileAnotherIsUnderWay) {
  begin();
  EXPECT_EQ(step(), std::nullopt);
  reporter_.report_now(now_);
  ASSERT_THAT(step(), Ne(std::nullopt));
  reporter_.report_now(now_);
  EXPECT_EQ(step(), std::nullopt);
  arrives();
  EXPECT_THAT(step(), Ne(std::nullopt));
}

}  // namespace
}  // namespace xbind
