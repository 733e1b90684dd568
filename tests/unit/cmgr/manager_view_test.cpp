// Compares the manager's view of a switch with the switch's ledger: each kind of
// difference, and states that must not be judged.
#include "cmgr/manager_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LedgerHop hop(std::uint64_t connection, std::uint32_t vci, bool settled = true) {
  return {{ConnectionId{connection}, Generation{1}, 0, 1},
          {PortId{1}, atm_label(0, vci), PortId{2}, atm_label(0, vci)},
          {100, 10},
          settled};
}

class ManagerViewTest : public ::testing::Test {
 protected:
  // A consistent state: connections 1 and 2, one cached label, and one in
  // quarantine whose return is in flight.
  void SetUp() override {
    view.hops = report.hops = {hop(1, 32), hop(2, 33)};
    report.cached = {{PortId{2}, {atm_label(0, 40)}}};
    report.quarantined = {{PortId{2}, {atm_label(0, 41)}}};
    for (const std::uint32_t vci : {32U, 33U, 40U, 41U}) {
      view.labels.emplace_back(PortId{2}, atm_label(0, vci));
    }
    view.cached = {{PortId{2}, atm_label(0, 40)}};
  }
  std::vector<Finding> look() const { return compare("sw", view, report, view); }
  static Finding only(const std::vector<Finding>& findings) {
    EXPECT_THAT(findings, SizeIs(1));
    return findings.empty() ? Finding{} : findings.front();
  }

  ManagerView view;
  LedgerReport report;
};

TEST_F(ManagerViewTest, AgreementIsNoFinding) { EXPECT_THAT(look(), IsEmpty()); }

TEST_F(ManagerViewTest, TheSwitchServersOwnFindingsComeFirst) {
  report.findings = {{FindingKind::kStrayCrossConnect, "sw port 1", "x", 1}};
  report.hops.push_back(hop(3, 34));
  const auto findings = look();
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0], report.findings[0]);
}

TEST_F(ManagerViewTest, AHopTheManagerDoesNotKnowIsStrayAndHoldsBandwidth) {
  report.hops.push_back(hop(3, 34));
  const auto findings = look();
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[1], (Finding{FindingKind::kLeakedBandwidth, "sw port 2",
                                  "connection 3 generation 1 leg 0 hop 1, which is not in the "
                                  "manager's table, occupies 100 cells/s",
                                  100}));
  EXPECT_EQ(totals_of(findings).leaked_bandwidth_cells_per_s, 100U);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.kind, FindingKind::kStrayHop);
  EXPECT_EQ(finding.element, "sw port 2");
  EXPECT_EQ(finding.text,
            "connection 3 generation 1 leg 0 hop 1 (1:0/34 -> 2:0/34) is in the ledger but not in "
            "the manager's table");
}

TEST_F(ManagerViewTest, AHopTheLedgerDoesNotHaveIsMissing) {
  report.hops.pop_back();
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kMissingHop);
  EXPECT_THAT(finding.text, ::testing::HasSubstr("connection 2 "));
}

TEST_F(ManagerViewTest, OtherLabelsAreAChangedCrossConnect) {
  report.hops[1].cross_connect.output_label = atm_label(0, 99);
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(finding.text,
            "connection 2 generation 1 leg 0 hop 1: the ledger says 1:0/33 -> 2:0/99, the manager "
            "1:0/33 -> 2:0/33");
}

TEST_F(ManagerViewTest, AnotherDemandIsLeakedBandwidthOfTheDifference) {
  report.hops[0].demand.cells_per_s = 150;
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kLeakedBandwidth);
  EXPECT_EQ(finding.amount, 50U);
}

TEST_F(ManagerViewTest, AnotherBufferAloneIsAFindingThatSaysSo) {
  report.hops[0].demand.buffer_cells = 25;
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kLeakedBandwidth);
  EXPECT_EQ(finding.text,
            "connection 1 generation 1 leg 0 hop 1: the ledger says 100 cells/s and 25 cells of "
            "buffer, the manager 100 cells/s and 10 cells of buffer");
  EXPECT_EQ(finding.amount, 0U) << "no cells/s";
}

TEST_F(ManagerViewTest, AnotherTrafficContractAloneIsAChangedCrossConnect) {
  report.hops[1].contract = {ServiceCategory::kCbr, 100, 10'000};
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kChangedCrossConnect);
  EXPECT_EQ(finding.text,
            "connection 2 generation 1 leg 0 hop 1: the ledger says CBR pcr 100 cdvt 10000 us, the "
            "manager no contract");
}

TEST_F(ManagerViewTest, LabelsOfOursThatNobodyKnowsAreLeaked) {
  report.cached[0].labels.push_back(atm_label(0, 50));
  report.quarantined[0].labels.push_back(atm_label(0, 51));
  const auto findings = look();
  ASSERT_THAT(findings, SizeIs(2));
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, FindingKind::kLeakedLabel);
  EXPECT_THAT(findings[0].text, ::testing::HasSubstr("label 0/50 is cached in the ledger"));
  EXPECT_THAT(findings[1].text, ::testing::HasSubstr("label 0/51 is in quarantine in the ledger"));
}

TEST_F(ManagerViewTest, ACachedLabelThatIsNotOursIsDoublyHeld) {
  report.cached.clear();
  const Finding finding = only(look());
  EXPECT_EQ(finding.kind, FindingKind::kDoubleLabel);
  EXPECT_THAT(finding.text,
              ::testing::HasSubstr("label 0/40 is in the manager's cache, but the ledger"));
  // A label in this manager's quarantine is safe too: no other manager gets it.
  report.quarantined[0].labels.push_back(atm_label(0, 40));
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(ManagerViewTest, ALabelTwiceInTheCacheIsDoublyHeld) {
  view.cached.push_back(view.cached[0]);
  EXPECT_EQ(only(look()).text, "label 0/40 is twice in the manager's cache");
}

TEST_F(ManagerViewTest, WhatIsOwedIsSaidAndNothingElseAboutIt) {
  view.owed = {hop(3, 34).key};
  report.hops.push_back(hop(3, 34));
  EXPECT_EQ(only(look()),
            (Finding{FindingKind::kOwed, "sw",
                     "the removal of connection 3 generation 1 leg 0 hop 1 is owed", 1}));
}

TEST_F(ManagerViewTest, WhatIsNotSettledIsNotJudged) {
  // Unsettled at the ledger:
  report.hops[1] = hop(2, 99, false);
  EXPECT_THAT(look(), IsEmpty());
  // Unsettled at the manager:
  report.hops = {hop(1, 32), hop(2, 99)};
  view.hops[1].settled = false;
  EXPECT_THAT(look(), IsEmpty());
  report.hops.pop_back();
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(ManagerViewTest, WhatChangedBetweenTheTwoLooksIsNotJudged) {
  ManagerView after = view;
  after.hops = {hop(1, 32), hop(3, 34)};  // 2 was removed, 3 was added
  after.cached.clear();
  after.labels.pop_back();
  // The report may show either state.
  for (const auto& hops : {std::vector{hop(1, 32), hop(2, 33)}, std::vector{hop(1, 32), hop(3, 34)},
                           std::vector{hop(1, 32)}}) {
    report.hops = hops;
    EXPECT_THAT(compare("sw", view, report, after), IsEmpty());
  }
}

TEST_F(ManagerViewTest, OnlyWhatTwoLooksSawStays) {
  const Finding once{FindingKind::kStrayHop, "sw", "once", 1};
  const Finding twice{FindingKind::kLeakedLabel, "sw", "twice", 1};
  const Finding late{FindingKind::kMissingHop, "sw", "in the second only", 1};
  const Finding owed{FindingKind::kOwed, "sw", "owed", 1};
  const Finding unreadable{FindingKind::kUnreadable, "sw", "unreadable", 1};
  EXPECT_THAT(seen_twice({once, twice}, {late, twice, owed, unreadable}),
              ElementsAre(twice, owed, unreadable));
}

TEST_F(ManagerViewTest, WhatTwoLooksSawStaysAlsoIfItsNumbersHaveChanged) {
  const Finding before{FindingKind::kLeakedBandwidth, "sw", "says 900, it is 800", 100, "account"};
  const Finding now{FindingKind::kLeakedBandwidth, "sw", "says 700, it is 600", 100, "account"};
  const Finding other{FindingKind::kLeakedBandwidth, "sw", "says 5, it is 4", 1, "another account"};
  EXPECT_THAT(seen_twice({before}, {now, other}), ElementsAre(now));
}

}  // namespace
}  // namespace xbind::cmgr
