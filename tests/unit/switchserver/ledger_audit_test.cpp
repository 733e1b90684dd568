#include "switchserver/ledger/ledger_audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_switch.hpp"
#include "switchserver/ledger_tamper.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CrossConnect at(std::uint32_t in, std::uint32_t out) {
  return {PortId{1}, atm_label(0, in), PortId{2}, atm_label(0, out)};
}

auto is(FindingKind kind, std::string_view text) {
  return ::testing::AllOf(::testing::Field(&Finding::kind, kind),
                          ::testing::Field(&Finding::element, "sw port 1"),
                          ::testing::Field(&Finding::text, HasSubstr(std::string(text))));
}

// ===== compare_table() =====

TEST(CompareTable, FindsNothingWhenAllAgrees) {
  EXPECT_THAT(compare_table("sw", {at(40, 50), at(41, 51)}, {{at(41, 51), at(40, 50)}, {}}),
              IsEmpty());
  EXPECT_THAT(compare_table("sw", {}, {}), IsEmpty());
}

TEST(CompareTable, NamesAStranger) {
  EXPECT_THAT(compare_table("sw", {at(40, 50), at(41, 51)}, {{at(40, 50)}, {}}),
              ElementsAre(is(FindingKind::kStrayCrossConnect, "port 1 0/41 -> port 2 0/51")));
}

TEST(CompareTable, NamesWhatIsMissing) {
  EXPECT_THAT(compare_table("sw", {at(41, 51)}, {{at(40, 50), at(41, 51), at(42, 52)}, {}}),
              ElementsAre(is(FindingKind::kMissingCrossConnect, "port 1 0/40"),
                          is(FindingKind::kMissingCrossConnect, "port 1 0/42")));
}

TEST(CompareTable, NamesAChangeOnceAndNotAsMissing) {
  EXPECT_THAT(compare_table("sw", {at(40, 59)}, {{at(40, 50)}, {}}),
              ElementsAre(is(FindingKind::kChangedCrossConnect,
                             "port 1 0/40 -> port 2 0/59 is in the switch, "
                             "port 1 0/40 -> port 2 0/50 in the ledger")));
}

TEST(CompareTable, NamesABranchBesideTheRightOne) {
  EXPECT_THAT(compare_table("sw", {at(40, 49), at(40, 50), at(40, 51)}, {{at(40, 50)}, {}}),
              ElementsAre(is(FindingKind::kStrayCrossConnect, "0/49 is in the switch, a branch"),
                          is(FindingKind::kStrayCrossConnect, "0/51 is in the switch, a branch")));
}

TEST(CompareTable, ChangedAndBranchedIsOneOfEach) {
  EXPECT_THAT(compare_table("sw", {at(40, 48), at(40, 49)}, {{at(40, 50)}, {}}),
              ElementsAre(is(FindingKind::kChangedCrossConnect, "0/48"),
                          is(FindingKind::kStrayCrossConnect, "0/49")));
}

TEST(CompareTable, PassesOverWhatMovesInBothDirections) {
  EXPECT_THAT(
      compare_table("sw", {at(40, 50), at(41, 99)}, {{}, {at(40, 50), at(41, 51), at(42, 52)}}),
      IsEmpty());
  EXPECT_THAT(compare_table("sw", {at(43, 50), at(40, 50)}, {{}, {at(40, 50)}}), SizeIs(1));
}

// ===== the whole audit, with one hop committed and one label cached =====

class LedgerAuditTest : public ::testing::Test {
 protected:
  LedgerAuditTest() {
    std::vector<SwitchPort> ports;
    for (std::uint32_t i = 1; i <= 4; ++i) {
      ports.push_back({PortId{i}, {atm_range(0, 0, 32, 63)}, 1000, true});
    }
    controller.on_driver(driver::Up{ports, false}, now);
    EXPECT_TRUE(controller.attach("a", Epoch{1}).has_value());
    labels = controller.grant("a", PortId{2}, 2, {300, 30}, now)->labels;
    setup.key = {ConnectionId{7}, Generation{1}, 0, 1};
    setup.hop_count = 3;
    setup.input_port = PortId{1};
    setup.input_label = atm_label(0, 40);
    setup.output_port = PortId{2};
    setup.output_label = labels[0];
    setup.demand = {100, 10};
    key = setup.key;
    commit(setup);
  }

  void commit(const HopSetup& hop) {
    EXPECT_TRUE(controller.apply("a", {{hop}, {}, {}}, 1, now).has_value());
    deliver();
    const auto outputs = controller.take_outputs();
    EXPECT_EQ(outputs.results.at(0).batch.results.at(0).cause, Cause::kNone);
  }
  void deliver() {
    while (!fake.answers.empty()) {
      const driver::Event event = fake.answers.front().event;
      fake.answers.pop_front();
      controller.on_driver(event, now);
    }
  }
  LedgerReport audit() {
    EXPECT_TRUE(controller.audit("a", 9).has_value());
    deliver();
    auto audits = controller.take_outputs().audits;
    EXPECT_EQ(audits.size(), 1U);
    EXPECT_EQ(audits.at(0).manager, "a");
    EXPECT_EQ(audits.at(0).token, 9U);
    return audits.at(0).report;
  }
  CrossConnect hop_at() const { return {PortId{1}, atm_label(0, 40), PortId{2}, labels.at(0)}; }
  static auto finding(FindingKind kind, std::string_view element, std::string_view text,
                      std::uint64_t amount = 1) {
    return ::testing::AllOf(::testing::Field(&Finding::kind, kind),
                            ::testing::Field(&Finding::element, std::string(element)),
                            ::testing::Field(&Finding::text, HasSubstr(std::string(text))),
                            ::testing::Field(&Finding::amount, amount));
  }

  TimePoint now{};
  FakeSwitch fake;
  SwitchController controller{{.name = "sw"}, fake};
  std::vector<Label> labels;
  HopSetup setup;
  HopKey key;
};

TEST_F(LedgerAuditTest, ACleanSwitchIsCleanAndTellsTheManagersHoldings) {
  const LedgerReport report = audit();
  EXPECT_THAT(report.findings, IsEmpty());
  ASSERT_THAT(report.hops, SizeIs(1));
  const LedgerHop& hop = report.hops.front();
  EXPECT_EQ(std::tuple(hop.key, hop.cross_connect, hop.demand, hop.settled),
            std::tuple(key, hop_at(), Resources{100, 10}, true));
  EXPECT_EQ(hop.hop_count, 3);
  EXPECT_THAT(report.owners, IsEmpty());
  EXPECT_EQ(hop.owner, kNoOwner) << "the setup named none";
  EXPECT_THAT(report.cached, ElementsAre(PortLabels{PortId{2}, {labels[1]}}));
  EXPECT_THAT(report.quarantined, IsEmpty());
  EXPECT_EQ(report.cross_connects, 1U);
}

TEST_F(LedgerAuditTest, NamesAPlantedStranger) {
  fake.table.insert({PortId{3}, atm_label(0, 60), PortId{4}, atm_label(0, 61)});
  EXPECT_THAT(audit().findings,
              ElementsAre(finding(FindingKind::kStrayCrossConnect, "sw port 3",
                                  "port 3 0/60 -> port 4 0/61 is in the switch, in no ledger")));
}

TEST_F(LedgerAuditTest, NamesWhatWasDeletedBehindItsBack) {
  fake.table.clear();
  EXPECT_THAT(audit().findings, ElementsAre(finding(FindingKind::kMissingCrossConnect, "sw port 1",
                                                    to_string(hop_at()))));
}

TEST_F(LedgerAuditTest, NamesWhatWasChangedBehindItsBack) {
  fake.table = {{PortId{1}, atm_label(0, 40), PortId{2}, atm_label(0, 63)}};
  EXPECT_THAT(audit().findings,
              ElementsAre(finding(FindingKind::kChangedCrossConnect, "sw port 1", "0/63")));
}

TEST_F(LedgerAuditTest, NamesAChangedLabelOfAHop) {
  LedgerTamper(controller).change_output_label(ManagerIndex{0}, key, atm_label(0, 50));
  EXPECT_THAT(
      audit().findings,
      ElementsAre(finding(FindingKind::kLeakedLabel, "sw port 2", to_string(labels[0])),
                  finding(FindingKind::kDoubleLabel, "sw port 2",
                          "output label 0/50 is in connection 7 of a and never used"),
                  finding(FindingKind::kChangedCrossConnect, "sw port 1", "0/50 in the ledger")));
}

TEST_F(LedgerAuditTest, NamesALabelThatIsInTwoPlaces) {
  LedgerTamper(controller).change_output_label(ManagerIndex{0}, key, labels[1]);
  EXPECT_THAT(audit().findings,
              ::testing::Contains(finding(FindingKind::kDoubleLabel, "sw port 2",
                                          to_string(labels[1]) + " is in connection 7 of a and in "
                                                                 "the cache of a")));
}

TEST_F(LedgerAuditTest, NamesAWithheldLabel) {
  const Label withheld = LedgerTamper(controller).withhold_label(PortId{2});
  EXPECT_THAT(audit().findings,
              ElementsAre(finding(FindingKind::kLeakedLabel, "sw port 2", to_string(withheld))));
}

// Two paths of one leg that have met again share their output label.
class JoinedAuditTest : public LedgerAuditTest {
 protected:
  JoinedAuditTest() {
    HopSetup joining = setup;
    joining.key.generation = Generation{2};
    joining.joins = true;
    joining.input_label = atm_label(0, 41);
    commit(joining);
    joined = joining.key;
    EXPECT_THAT(audit().findings, IsEmpty());
  }
  // A record that does not fit the others on its label has the label besides them.
  auto twice() const {
    return ::testing::Contains(finding(FindingKind::kDoubleLabel, "sw port 2",
                                       "output label " + to_string(labels[0]) +
                                           " is in connection 7 of a and in connection 7 of a"));
  }

  HopKey joined;
};

TEST_F(JoinedAuditTest, NamesAHopOfAnotherLabel) {
  LedgerTamper(controller).change_output_label(ManagerIndex{0}, joined, labels[1]);
  EXPECT_THAT(audit().findings, twice());
}

TEST_F(JoinedAuditTest, NamesAHopOfAnotherLeg) {
  LedgerTamper(controller).change_leg(ManagerIndex{0}, joined, 3);
  EXPECT_THAT(audit().findings, twice());
}

TEST_F(JoinedAuditTest, NamesAHopOfAnotherPort) {
  LedgerTamper(controller).change_output_port(ManagerIndex{0}, joined, PortId{3});
  EXPECT_THAT(audit().findings, twice());
}

TEST_F(JoinedAuditTest, NamesAHopOnTheSameInput) {
  LedgerTamper(controller).change_input_label(ManagerIndex{0}, joined, setup.input_label);
  EXPECT_THAT(audit().findings, twice());
}

TEST_F(LedgerAuditTest, NamesFalsifiedBandwidthWithTheAmount) {
  LedgerTamper(controller).falsify_bandwidth(PortId{2}, {37, 0});
  LedgerTamper(controller).falsify_ingress(PortId{3}, 5);
  EXPECT_THAT(
      audit().findings,
      ElementsAre(finding(FindingKind::kLeakedBandwidth, "sw port 2",
                          "337 cells/s and 30 buffer cells for connections and quotas, it is "
                          "300 and 30",
                          37),
                  finding(FindingKind::kLeakedBandwidth, "sw port 3", "first hops", 5)));
}

TEST_F(LedgerAuditTest, NamesFalsifiedBuffer) {
  LedgerTamper(controller).falsify_bandwidth(PortId{2}, {0, 4});
  EXPECT_THAT(audit().findings, ElementsAre(finding(FindingKind::kLeakedBandwidth, "sw port 2",
                                                    "34 buffer cells", 0)));
}

}  // namespace
}  // namespace xbind
