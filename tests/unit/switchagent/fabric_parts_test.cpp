// The parts of the fabric, each alone: states and labels of ports, branches and their profiles,
// services.
#include <gtest/gtest.h>

#include "switchagent/table/branch_table.hpp"
#include "switchagent/table/label_range_requests.hpp"
#include "switchagent/table/port_requests.hpp"
#include "switchagent/table/port_states.hpp"
#include "switchagent/table/service_rules.hpp"

namespace xbind::switchagent {
namespace {

using dataplane::Loopback;
using gsmp::FailureCode;
using gsmp::PortStatus;
using gsmp::QosModel;
using namespace std::chrono_literals;

constexpr PortId kOne(1);
constexpr PortId kTwo(2);
constexpr PortId kMplsPort(3);

class FabricPartsTest : public ::testing::Test {
 protected:
  static FabricOptions three_ports() {
    FabricOptions options;
    options.ports = 3;
    options.port_labels = {{kMplsPort, {mpls_range(100, 199)}}};
    options.port_cells_per_s = {{kTwo, 1000}};
    options.one_kind = true;
    return options;
  }
  static QosProfile priority(std::uint32_t selector) {
    QosProfile qos;
    qos.input.selector = qos.output.selector = selector;
    return qos;
  }
  static dataplane::VirtualLink input(std::uint32_t vci) {
    return link_at(kOne, atm_label(0, vci), false);
  }
  dataplane::Branch output(std::uint32_t vci) const {
    return place_of(input(0), kTwo, atm_label(0, vci));
  }
  void put(std::uint32_t in_vci, std::uint32_t out_vci, bool both_ways = false) {
    branches.put(input(in_vci), output(out_vci), nullptr, priority(1), both_ways);
  }

  FabricOptions options = three_ports();
  dataplane::SwitchFabric cells{{.ports = 3}, {}, {}};
  RegionModel region{3};
  PortStates ports{options, cells, [next = 0x10U]() mutable { return next++; }};
  PortLabels labels{options, cells};
  ServiceRules services{options, region};
  BranchTable branches{cells.table(), labels, services};
  PortRequests requests{options, ports, labels, branches, region};
};

// ----- states of ports ------------------------------------------------------------------------

TEST_F(FabricPartsTest, APortIsUsedWhileCardLineAndServiceAllow) {
  EXPECT_TRUE(cells.line_up(kOne));
  EXPECT_FALSE(ports.set_line(kOne, true));
  EXPECT_TRUE(ports.set_line(kOne, false));
  EXPECT_FALSE(cells.line_up(kOne));
  ports.enter(kOne, PortStatus::kUnavailable, Loopback::kNone, kNever);
  EXPECT_TRUE(ports.set_line(kOne, true));
  EXPECT_FALSE(cells.line_up(kOne));
  ports.bring_up(kOne);
  EXPECT_TRUE(cells.line_up(kOne));
  ports.remove(kOne);
  EXPECT_FALSE(cells.line_up(kOne));
  EXPECT_FALSE(ports.has(kOne));
  EXPECT_EQ(ports.cards(), 2U);
  ports.insert(kOne);
  EXPECT_TRUE(cells.line_up(kOne));
}

TEST_F(FabricPartsTest, ANewSessionIsNeverZeroOrTheOldOne) {
  PortStates same{options, cells, [] { return 0U; }};
  EXPECT_EQ(same.session(kOne), 1U);
  same.bring_up(kOne);
  EXPECT_EQ(same.session(kOne), 2U);
  const std::uint32_t before = ports.session(kTwo);
  ports.set_line(kTwo, false);
  EXPECT_EQ(ports.session(kTwo), before);
  ports.set_line(kTwo, true);
  EXPECT_NE(ports.session(kTwo), before);
}

TEST_F(FabricPartsTest, ANewCardHasNothingOfTheOldOne) {
  ports.events(kTwo).flags = gsmp::kEventPortUp;
  ports.set_replace(kTwo, true);
  ports.set_rate(kTwo, 10);
  ports.enter(kTwo, PortStatus::kInternalLoopback, Loopback::kInternal, TimePoint{} + 5s);
  EXPECT_EQ(ports.next_deadline(), TimePoint{} + 5s);
  ports.remove(kTwo);
  EXPECT_EQ(ports.next_deadline(), kNever);
  ports.insert(kTwo);
  EXPECT_EQ(ports.events(kTwo).flags, 0U);
  EXPECT_FALSE(ports.replaces(kTwo));
  EXPECT_EQ(ports.rate(kTwo), 1000U);
  EXPECT_EQ(ports.status(kTwo), PortStatus::kAvailable);
}

TEST_F(FabricPartsTest, ALoopbackEndsAsAfterBringUp) {
  put(40, 50);
  gsmp::PortManagement loop;
  loop.port = kOne;
  loop.function = gsmp::PortFunction::kExternalLoopback;
  loop.duration_s = 3;
  EXPECT_EQ(requests.manage(loop, TimePoint{}), FailureCode::kNone);
  const std::uint32_t session = ports.session(kOne);
  requests.tick(TimePoint{} + 2s);
  EXPECT_EQ(ports.status(kOne), PortStatus::kExternalLoopback);
  EXPECT_EQ(branches.branches(), 1U);
  requests.tick(TimePoint{} + 3s);
  EXPECT_EQ(ports.status(kOne), PortStatus::kAvailable);
  EXPECT_NE(ports.session(kOne), session);
  EXPECT_EQ(branches.branches(), 0U);
}

// ----- labels ---------------------------------------------------------------------------------

TEST_F(FabricPartsTest, APortCarriesLabelsOfItsKindOnly) {
  EXPECT_TRUE(labels.carries(kOne, atm_label(0, 40)));
  EXPECT_FALSE(labels.carries(kOne, {LabelKind::kMpls, 100}));
  EXPECT_TRUE(labels.carries(kMplsPort, {LabelKind::kMpls, 99}));
  EXPECT_FALSE(labels.accepts(kMplsPort, {LabelKind::kMpls, 99}, false));
  EXPECT_TRUE(labels.accepts(kMplsPort, {LabelKind::kMpls, 100}, false));
  EXPECT_FALSE(labels.leaves_by(kMplsPort, {LabelKind::kMpls, 3})) << "a reserved label";
  EXPECT_FALSE(labels.joins(kOne, kMplsPort));
  EXPECT_FALSE(labels.has_paths(kOne, kMplsPort));
  for (const PortId none : {PortId(0), PortId(4)})
    EXPECT_FALSE(labels.carries(none, atm_label(0, 40)));
}

TEST_F(FabricPartsTest, RangesInUseAreRestoredToThoseOfTheOperator) {
  labels.set(kOne, {atm_range(0, 0, 32, 99)});
  LabelRangeRequests executed(labels, cells, options.labels_grantable);
  gsmp::LabelRangeMessage message;
  message.port = kOne;
  message.ranges = {{gsmp::label_field(atm_label(0, 200), gsmp::kFlagVciRange),
                     gsmp::label_field(atm_label(0, 299), gsmp::kFlagVciRange)}};
  put(40, 50);
  EXPECT_EQ(executed.execute(message), FailureCode::kOldLabelsInUse);
  EXPECT_TRUE(labels.accepts(kOne, atm_label(0, 200), false));
  EXPECT_FALSE(labels.accepts(kOne, atm_label(0, 40), false));
  labels.restore(kOne);
  EXPECT_TRUE(labels.accepts(kOne, atm_label(0, 40), false));
  EXPECT_FALSE(labels.accepts(kOne, atm_label(0, 200), false));
}

// ----- branches -------------------------------------------------------------------------------

TEST_F(FabricPartsTest, EachBranchUsesItsProfileOnce) {
  put(40, 50);
  put(41, 51);
  EXPECT_EQ(branches.profiles().size(), 1U);
  const auto* const connection = branches.find(kOne, atm_label(0, 40));
  ASSERT_NE(connection, nullptr);
  branches.move(*connection, connection->branches.front(), output(60), priority(2));
  EXPECT_EQ(branches.profiles().size(), 2U);
  EXPECT_EQ(branches.delete_branch(kOne, atm_label(0, 40), kTwo, atm_label(0, 50)),
            FailureCode::kNoSuchBranch);
  EXPECT_EQ(branches.delete_branch(kOne, atm_label(0, 40), kTwo, atm_label(0, 60)),
            FailureCode::kNone);
  EXPECT_EQ(branches.delete_tree(kOne, atm_label(0, 41)), FailureCode::kNone);
  EXPECT_EQ(branches.branches(), 0U);
  EXPECT_EQ(branches.profiles().size(), 0U);
}

TEST_F(FabricPartsTest, AHalfOfAPairStaysAsAnOrdinaryConnection) {
  put(40, 50, true);
  branches.put(reverse_of(input(40), output(50)), back_to(input(40)), nullptr, priority(1), true);
  ASSERT_TRUE(branches.copy(kTwo, atm_label(0, 50)));
  EXPECT_TRUE(branches.copy(kTwo, atm_label(0, 50))->bidirectional);
  EXPECT_EQ(branches.delete_all_input(kOne), 1U);
  ASSERT_TRUE(branches.copy(kTwo, atm_label(0, 50)));
  EXPECT_FALSE(branches.copy(kTwo, atm_label(0, 50))->bidirectional);
  EXPECT_EQ(branches.delete_all_output(kOne), 1U);
  EXPECT_EQ(branches.profiles().size(), 0U);
}

TEST_F(FabricPartsTest, ReplaceKeepsOneBranchToALabel) {
  put(40, 50);
  put(41, 50);
  put(42, 51);
  branches.drop_others_at(input(41), output(50));
  EXPECT_EQ(branches.find(kOne, atm_label(0, 40)), nullptr);
  EXPECT_NE(branches.find(kOne, atm_label(0, 41)), nullptr);
  EXPECT_NE(branches.find(kOne, atm_label(0, 42)), nullptr);
}

// ----- services -------------------------------------------------------------------------------

TEST_F(FabricPartsTest, AServiceOfABranchNeverChanges) {
  QosProfile cbr;
  cbr.input.model = cbr.output.model = QosModel::kService;
  cbr.input.selector = cbr.output.selector = gsmp::service_selector(gsmp::ServiceId::kCbr1, 1);
  QosProfile ubr = cbr;
  ubr.input.selector = ubr.output.selector = gsmp::service_selector(gsmp::ServiceId::kUbr1, 1);
  EXPECT_EQ(services.check(cbr, nullptr), FailureCode::kNone);
  EXPECT_EQ(services.check(ubr, &cbr), FailureCode::kInvalidServiceSelector);
  EXPECT_EQ(services.check(priority(0), &cbr), FailureCode::kNone);
  EXPECT_EQ(updated(cbr, priority(0)), cbr) << "it asserts the branch again";
  EXPECT_EQ(services.check(priority(options.priorities), nullptr),
            FailureCode::kInvalidServiceSelector);
  QosProfile nearest = priority(200);
  services.limit_priorities(nearest);
  EXPECT_EQ(nearest, priority(options.priorities - 1U));
}

TEST_F(FabricPartsTest, UbrHasTheQueueBelowAllPriorities) {
  dataplane::Branch branch;
  const Qos ubr{QosModel::kService, gsmp::service_selector(gsmp::ServiceId::kUbr1, 1)};
  services.set_queue(branch,
                     {.input = {}, .output = ubr, .input_traffic = {}, .output_traffic = {}});
  EXPECT_EQ(branch.priority, options.priorities);
  EXPECT_FALSE(branch.frames.on());
  services.set_queue(branch, priority(200));
  EXPECT_EQ(branch.priority, options.priorities - 1);
}

TEST_F(FabricPartsTest, ABranchWithFlagDDiscardsWholeFrames) {
  const Qos gfr{QosModel::kService, gsmp::service_selector(gsmp::ServiceId::kGfr1, 1)};
  const gsmp::TrafficBlock frames{gsmp::kTcPacketDiscard, gsmp::GuaranteedFrameRate{9, 1, 5, 2, 3}};
  QosProfile profile{.input = gfr, .output = gfr, .input_traffic = frames, .output_traffic = {}};
  EXPECT_EQ(services.check(profile, nullptr), FailureCode::kNone);
  dataplane::Branch branch;
  services.set_queue(branch, profile);
  EXPECT_TRUE(branch.frames.on());
  profile.input_traffic->tc_flags = 0;
  services.set_queue(branch, profile);
  EXPECT_FALSE(branch.frames.on());
}

}  // namespace
}  // namespace xbind::switchagent
