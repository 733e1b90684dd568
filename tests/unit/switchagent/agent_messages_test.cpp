// Every request that the emulated switch supports: the order of checks, and one exchange per rule.
#include <random>

#include "tests/unit/switchagent/agent_fixture.hpp"

namespace xbind::switchagent::test {
namespace {

using namespace std::chrono_literals;
using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortFunction;
using gsmp::ResultField;
using Codes = std::vector<FailureCode>;

class AgentMessagesTest : public AgentFixture {
 protected:
  ControllerId id = connect();
};

// ----- the order of checks: every field is wrong and is corrected step by step -----

template <class M>
struct Step {
  FailureCode code;
  std::function<void(M&)> put_right;  // corrects the cause of that failure
};

TEST_F(AgentMessagesTest, AddBranchInTheOrderOfPrecedence) {
  ASSERT_EQ(code(id, add(1, 500, 2, 500)), FailureCode::kNone);
  gsmp::AddBranch request = add(9, 20, 2, 200);
  request.header.partition = 5;
  request.port_session = 1;
  request.output_label = {0, gsmp::LabelType::kMpls, 5};
  request.input_label.flags = gsmp::kFlagMultipoint;
  request.input_selector = 9;
  request.reservation = 2000;
  request.output_label.flags = gsmp::kFlagReplace;
  const Step<gsmp::AddBranch> steps[] = {
      {FailureCode::kNoSuchPort, [](auto& m) { m.input_port = PortId(1); }},
      {FailureCode::kInvalidPortSession, [&](auto& m) { m.port_session = session(1); }},
      {FailureCode::kInvalidPartition, [](auto& m) { m.header.partition = 0; }},
      {FailureCode::kInvalidInputLabel, [](auto& m) { m.input_label = label(0, 100, 2); }},
      {FailureCode::kInvalidOutputLabel, [](auto& m) { m.output_label = label(0, 200, 1); }},
      {FailureCode::kInvalidServiceSelector, [](auto& m) { m.input_selector = 0; }},
      {FailureCode::kReservationOutOfRange, [](auto& m) { m.reservation = 7; }},
      {FailureCode::kNoSuchReservation, [](auto& m) { m.reservation = 0; }},
      {FailureCode::kReplaceInactive,
       [&](auto&) {
         auto up = manage(2, PortFunction::kBringUp);
         up.replace = true;
         ASSERT_EQ(code(id, up), FailureCode::kNone);
       }},
      {FailureCode::kReplaceWithMultipoint, [](auto& m) { m.input_label.flags = 0; }},
      {FailureCode::kNone, [](auto&) {}},
  };
  for (const auto& step : steps) {
    EXPECT_EQ(code(id, request), step.code);
    step.put_right(request);
  }
}

TEST_F(AgentMessagesTest, EveryPortRequestChecksPortSessionPartition) {
  const auto run = [&](auto request, auto port, auto right_port, std::uint32_t right_session) {
    request.header.transaction = 1;
    request.header.partition = 9;
    request.port_session = 1;
    request.*port = PortId(77);
    Codes met{code(id, request)};
    request.*port = right_port;
    met.push_back(code(id, request));
    request.port_session = right_session;
    met.push_back(code(id, request));
    EXPECT_EQ(met, (Codes{FailureCode::kNoSuchPort, FailureCode::kInvalidPortSession,
                          FailureCode::kInvalidPartition}))
        << to_string(request.header);
  };
  gsmp::DeleteTree tree;
  run(tree, &gsmp::DeleteTree::input_port, PortId(1), session(1));
  gsmp::DeleteAll all;
  run(all, &gsmp::DeleteAll::port, PortId(1), session(1));
  all.header.type = MessageType::kDeleteAllOutput;
  run(all, &gsmp::DeleteAll::port, PortId(2), session(2));
  gsmp::MoveOutputBranch out;
  out.old_output_port = out.new_output_port = PortId(2);
  run(out, &gsmp::MoveOutputBranch::input_port, PortId(1), session(1));
  gsmp::MoveInputBranch in;  // the output port's session
  in.old_input_port = in.new_input_port = PortId(1);
  run(in, &gsmp::MoveInputBranch::output_port, PortId(2), session(2));
  run(gsmp::PortManagement{}, &gsmp::PortManagement::port, PortId(3), session(3));
  run(gsmp::LabelRangeMessage{}, &gsmp::LabelRangeMessage::port, PortId(3), session(3));
}

TEST_F(AgentMessagesTest, RefusesAnyTypeOrOne) {
  agent.refuse_next(1, FailureCode::kOutOfResources, MessageType::kDeleteTree);
  EXPECT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  gsmp::DeleteTree tree;
  tree.header.transaction = 1;
  tree.port_session = session(1);
  tree.input_port = PortId(1);
  tree.input_label = label(0, 100);
  EXPECT_EQ(code(id, tree), FailureCode::kOutOfResources);
  agent.refuse_next(1, FailureCode::kUnspecified, std::nullopt);
  EXPECT_EQ(code(id, manage(1, PortFunction::kResetFlags)), FailureCode::kUnspecified);
  EXPECT_EQ(code(id, tree), FailureCode::kNone);
  EXPECT_EQ(agent.counters().refused, 2U);
}

// ----- connections, and the cells that follow them -----------------------------------------------

TEST_F(AgentMessagesTest, CellsFollowAddMoveAndDelete) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  ASSERT_EQ(code(id, add(1, 100, 3, 300)), FailureCode::kNone);
  using Labels = std::vector<std::pair<int, int>>;
  cell_in(1, 0, 100);
  EXPECT_EQ(cells_out(2), (Labels{{0, 200}}));
  EXPECT_EQ(cells_out(3), (Labels{{0, 300}}));

  gsmp::MoveOutputBranch move;
  move.header.transaction = 1;
  move.port_session = session(1);
  move.input_port = PortId(1);
  move.old_output_port = PortId(3);
  move.new_output_port = PortId(2);
  move.input_label = label(0, 100);
  move.old_output_label = label(0, 300);
  move.new_output_label = label(0, 201);
  ASSERT_EQ(code(id, move), FailureCode::kNone);
  EXPECT_EQ(code(id, move), FailureCode::kNoSuchBranch);
  cell_in(1, 0, 100);
  EXPECT_EQ(cells_out(2), (Labels{{0, 200}, {0, 201}}));
  EXPECT_TRUE(cells_out(3).empty());
  move.old_output_port = PortId(2);
  move.old_output_label = label(0, 201);
  move.new_output_label = label(0, 200);
  EXPECT_EQ(code(id, move), FailureCode::kBranchOnSamePort);

  gsmp::MoveInputBranch in;
  in.header.transaction = 1;
  in.port_session = session(2);
  in.output_port = PortId(2);
  in.old_input_port = PortId(1);
  in.new_input_port = PortId(3);
  in.output_label = label(0, 201);
  in.old_input_label = label(0, 100);
  in.new_input_label = label(0, 20);
  EXPECT_EQ(code(id, in), FailureCode::kInvalidInputLabel);
  in.new_input_label = label(0, 101);
  ASSERT_EQ(code(id, in), FailureCode::kNone);
  cell_in(1, 0, 100);
  cell_in(3, 0, 101);
  EXPECT_EQ(cells_out(2), (Labels{{0, 200}, {0, 201}}));

  gsmp::DeleteBranches gone;
  gone.header.transaction = 1;
  gone.elements = {{.port_session = session(1),
                    .input_port = PortId(1),
                    .output_port = PortId(2),
                    .input_label = label(0, 100),
                    .output_label = label(0, 200)}};
  ASSERT_EQ(code(id, gone), FailureCode::kNone);
  cell_in(1, 0, 100);
  EXPECT_TRUE(cells_out(2).empty());
  EXPECT_EQ(fabric.branches(), 1U);
}

TEST_F(AgentMessagesTest, VirtualPaths) {
  gsmp::AddBranch path = add(1, 0, 2, 0);
  path.header.type = MessageType::kVpcAddBranch;
  path.input_label = label(5, 0);
  path.output_label = label(9, 0);
  ASSERT_EQ(code(id, path), FailureCode::kNone);
  cell_in(1, 5, 777);
  EXPECT_EQ(cells_out(2), (std::vector<std::pair<int, int>>{{9, 777}}));
  gsmp::AddBranch channel = add(1, 100, 2, 200);
  channel.input_label = label(5, 100);
  EXPECT_EQ(code(id, channel), FailureCode::kVccOntoVpc);
  channel.input_label = label(6, 100);
  ASSERT_EQ(code(id, channel), FailureCode::kNone);
  path.input_label = label(6, 0);
  EXPECT_EQ(code(id, path), FailureCode::kVpcOntoVcc);
  path.input_label = label(10, 0);
  EXPECT_EQ(code(id, path), FailureCode::kInvalidInputLabel);
}

TEST_F(AgentMessagesTest, ConnectionReplace) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  auto up = manage(2, PortFunction::kBringUp);
  up.replace = true;
  ASSERT_EQ(code(id, up), FailureCode::kNone);
  gsmp::AddBranch replacing = add(3, 100, 2, 200);
  replacing.output_label.flags = gsmp::kFlagReplace;
  ASSERT_EQ(code(id, replacing), FailureCode::kNone);
  EXPECT_FALSE(fabric.find(PortId(1), atm_label(0, 100)));
  EXPECT_TRUE(fabric.find(PortId(3), atm_label(0, 100)));
}

TEST_F(AgentMessagesTest, TrafficControlsMustBeOffered) {
  gsmp::AddBranch request = add(1, 100, 2, 200);
  set_service(request, gsmp::ServiceId::kCbr1, 1, {gsmp::kTcPolicing, gsmp::CellRate{4528, 250}});
  EXPECT_EQ(code(id, request), FailureCode::kNone);
  request.input_traffic->tc_flags = gsmp::kTcVcMerge;
  EXPECT_EQ(code(id, request), FailureCode::kInvalidServiceSelector);
  set_service(request, gsmp::ServiceId::kCbr1, 2, {0, gsmp::CellRate{4528, 250}});
  EXPECT_EQ(code(id, request), FailureCode::kInvalidServiceSelector);
  const gsmp::TrafficBlock variable{0, gsmp::VariableRate{9, 1, 5, 2}};
  const gsmp::TrafficBlock frames{0, gsmp::GuaranteedFrameRate{9, 1, 5, 2, 3}};
  using Pair = std::pair<gsmp::ServiceId, gsmp::TrafficBlock>;
  std::uint32_t vci = 300;
  for (const auto& [service, block] :
       {Pair{gsmp::ServiceId::kRtVbr1, variable}, Pair{gsmp::ServiceId::kNrtVbr1, variable},
        Pair{gsmp::ServiceId::kUbr1, {0, gsmp::CellRate{9, 1}}},
        Pair{gsmp::ServiceId::kGfr1, frames}}) {
    ++vci;
    gsmp::AddBranch one = add(1, vci, 2, vci);
    set_service(one, service, 1, block);
    EXPECT_EQ(code(id, one), FailureCode::kNone) << to_string(service);
  }
}

// ----- reservations ------------------------------------------------------------------------------

TEST_F(AgentMessagesTest, ReservationsAreHeldUsedAndDeleted) {
  gsmp::ReservationRequest request;
  request.header.transaction = 1;
  request.port_session = session(1);
  request.reservation = 7;
  request.input_port = PortId(1);
  request.output_port = PortId(2);
  request.output_label = label(0, 210);
  EXPECT_EQ(code(id, request), FailureCode::kNone);
  EXPECT_EQ(code(id, request), FailureCode::kReservationInUse);
  request.reservation = 1025;
  EXPECT_EQ(code(id, request), FailureCode::kReservationOutOfRange);
  gsmp::AddBranch use = add(1, 100, 3, 210);
  use.reservation = 7;
  EXPECT_EQ(code(id, use), FailureCode::kReservationPortsDiffer);
  use.output_port = PortId(2);
  EXPECT_EQ(code(id, use), FailureCode::kNone);
  EXPECT_EQ(code(id, use), FailureCode::kNoSuchReservation);  // consumed
  request.reservation = 8;
  EXPECT_EQ(code(id, request), FailureCode::kNone);
  gsmp::DeleteReservation gone;
  gone.header.transaction = 1;
  gone.reservation = 8;
  EXPECT_EQ(code(id, gone), FailureCode::kInvalidPortSession);
  gone.port_session = session(1);
  EXPECT_EQ(code(id, gone), FailureCode::kNone);
  EXPECT_EQ(code(id, gone), FailureCode::kNoSuchReservation);
  gone.reservation = 0;
  EXPECT_EQ(code(id, gone), FailureCode::kReservationOutOfRange);
  EXPECT_EQ(code(id, request), FailureCode::kNone);
  gsmp::DeleteAllReservations all;
  all.header.transaction = 1;
  EXPECT_EQ(code(id, all), FailureCode::kNone);
  EXPECT_EQ(fabric.reservations().size(), 0U);
}

// ----- ports -------------------------------------------------------------------------------------

TEST_F(AgentMessagesTest, BringUpTakeDownAndLoopback) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  EXPECT_EQ(code(id, manage(1, PortFunction::kTakeDown)), FailureCode::kNone);
  EXPECT_EQ(code(id, manage(1, PortFunction::kTakeDown)), FailureCode::kPortDown);
  gsmp::StatisticsRequest statistics;
  statistics.header.transaction = 1;
  statistics.port = PortId(1);
  EXPECT_EQ(code(id, statistics), FailureCode::kPortDown);
  EXPECT_EQ(fabric.branches(), 1U);
  const std::uint32_t before = session(1);
  const auto up = answer<gsmp::PortManagement>(id, manage(1, PortFunction::kBringUp));
  EXPECT_NE(up.port_session, before);
  EXPECT_EQ(up.port_session, session(1));
  EXPECT_EQ(fabric.branches(), 0U);
  auto loop = manage(1, PortFunction::kInternalLoopback);
  loop.duration_s = 2;
  EXPECT_EQ(code(id, loop), FailureCode::kNone);
  EXPECT_EQ(fabric.port_status(PortId(1)), gsmp::PortStatus::kInternalLoopback);
  EXPECT_EQ(fabric.next_deadline(), now + 2s);
  const std::uint32_t looped = session(1);
  fabric.tick(now + 2s);
  EXPECT_EQ(fabric.port_status(PortId(1)), gsmp::PortStatus::kAvailable);
  EXPECT_NE(session(1), looped);
  EXPECT_EQ(code(id, manage(1, static_cast<PortFunction>(9))), FailureCode::kInvalidMessage);
}

TEST_F(AgentMessagesTest, TransmitRate) {
  auto set = manage(1, PortFunction::kSetTransmitRate);
  set.transmit_cells_per_s = 353208;
  EXPECT_EQ(code(id, set), FailureCode::kRateOutOfRange);
  set.transmit_cells_per_s = 1000;
  EXPECT_EQ(code(id, set), FailureCode::kNone);
  EXPECT_EQ(fabric.port_states().rate(PortId(1)), 1000U);
  EXPECT_EQ(code(id, manage(1, PortFunction::kResetInputPort)), FailureCode::kNone);
  EXPECT_EQ(fabric.port_states().rate(PortId(1)), 353207U);
  EXPECT_EQ(fabric.port_status(PortId(1)), gsmp::PortStatus::kUnavailable);
}

TEST_F(AgentMessagesTest, LabelRanges) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  gsmp::LabelRangeMessage request;
  request.header.transaction = 1;
  request.port = PortId(1);
  request.port_session = session(1);
  request.query = true;
  request.ranges = {{label(0, 0), label(0, 0), 0}};
  auto reported = answer<gsmp::LabelRangeMessage>(id, request);
  EXPECT_EQ(reported.ranges.at(0).min, label(0, 32));
  EXPECT_EQ(reported.ranges.at(0).remaining_vcis(), 991);
  request.ranges[0].max = label(10, 0);
  EXPECT_EQ(code(id, request), FailureCode::kInvalidInputLabel);
  request.query = false;
  request.ranges = {{label(0, 5), label(0, 50), 0}};
  reported = answer<gsmp::LabelRangeMessage>(id, request);
  EXPECT_EQ(reported.header.code, FailureCode::kLabelRangeImpossible);
  EXPECT_EQ(reported.ranges.at(0).min, label(0, 32));
  request.ranges = {{label(0, 200), label(0, 300), 0}};
  reported = answer<gsmp::LabelRangeMessage>(id, request);
  EXPECT_EQ(reported.header.result, ResultField::kSuccess);
  EXPECT_EQ(reported.header.code, FailureCode::kOldLabelsInUse);
  EXPECT_EQ(code(id, add(1, 101, 2, 200)), FailureCode::kInvalidInputLabel);
  request.ranges.push_back(request.ranges[0]);
  EXPECT_EQ(code(id, request), FailureCode::kLabelRangeDisjoint);
}

// ----- state -------------------------------------------------------------------------------------

TEST_F(AgentMessagesTest, ActivityAndStatisticsCountCells) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  for (int i = 0; i < 3; ++i) cell_in(1, 0, 100);
  cell_in(1, 0, 999);
  cells_out(2);
  gsmp::StatisticsRequest request;
  request.header.transaction = 1;
  request.port = PortId(1);
  auto met = answer<gsmp::Statistics>(id, request).counters;
  EXPECT_EQ(met.input_cells, 4U);
  EXPECT_EQ(met.invalid_labels, 1U);
  request.header.type = MessageType::kConnectionStatistics;
  request.label = label(0, 100);
  met = answer<gsmp::Statistics>(id, request).counters;
  EXPECT_EQ(met.input_cells, 3U);
  EXPECT_EQ(met.output_cells, 3U);
  request.label = label(0, 101);
  EXPECT_EQ(code(id, request), FailureCode::kNoSuchConnection);
  gsmp::ConnectionActivity activity;
  activity.header.transaction = 1;
  activity.records = {{.input_port = PortId(1), .input_label = label(0, 100)},
                      {.input_port = PortId(1), .input_label = label(0, 101)}};
  const auto reported = answer<gsmp::ConnectionActivity>(id, activity);
  EXPECT_TRUE(reported.records.at(0).has_count());
  EXPECT_EQ(reported.records.at(0).traffic_cells, 3U);
  EXPECT_FALSE(reported.records.at(1).valid);
}

TEST_F(AgentMessagesTest, ServicesAreReported) {
  gsmp::ServiceConfigurationRequest request;
  request.header.transaction = 1;
  EXPECT_EQ(answer<gsmp::ServiceConfiguration>(id, request).services, default_services());
}

// ----- the schedulable region --------------------------------------------------------------------

TEST_F(AgentMessagesTest, TheRegionModel) {
  gsmp::SwitchConfiguration configuration;
  configuration.header.transaction = 1;
  configuration.model_types[0] = kModelRegion;
  EXPECT_EQ(answer<gsmp::SwitchConfiguration>(id, configuration).model_types[0], kModelRegion);
  gsmp::EstimationSupport estimators;
  estimators.header.transaction = 1;
  EXPECT_TRUE(answer<gsmp::EstimationSupport>(id, estimators).has(gsmp::Estimator::kPeakRate));
  gsmp::EstimationPolicy policy;
  policy.header = {.type = MessageType::kSetEstimationPolicy, .transaction = 1};
  policy.all_ports = true;
  policy.estimator = gsmp::Estimator::kProprietary;
  EXPECT_EQ(code(id, policy), FailureCode::kNoSuchEstimator);
  policy.estimator = gsmp::Estimator::kPeakRate;
  policy.update_threshold = 2001;
  EXPECT_EQ(code(id, policy), FailureCode::kUnsupportedParameter);
  policy.update_threshold = 100;
  EXPECT_EQ(code(id, policy), FailureCode::kNone);
  gsmp::TrafficClasses classes;
  classes.header = {.type = MessageType::kSetTrafficClasses, .transaction = 1};
  classes.all_ports = true;
  classes.classes.resize(2);
  EXPECT_EQ(code(id, classes), FailureCode::kUnsupportedParameter);  // no PCR
  classes.classes[0].traffic.set(gsmp::TrafficParameter::kPcr, 4528);
  classes.classes[1].traffic.set(gsmp::TrafficParameter::kPcr, 11393);
  EXPECT_EQ(code(id, classes), FailureCode::kInvalidMessage);  // one buffer for both
  classes.classes[1].buffer = 1;
  EXPECT_EQ(code(id, classes), FailureCode::kNone);
  gsmp::SchedulableRegionMessage region;
  region.header.transaction = 1;
  region.port = PortId(2);
  region.port_session = session(2);
  const auto reported = answer<gsmp::SchedulableRegionMessage>(id, region).region;
  ASSERT_EQ(reported.any_of.size(), 1U);
  EXPECT_EQ(reported.any_of[0][0], 78U);
  EXPECT_EQ(reported.any_of[0][1], 31U);
  gsmp::AddBranch call = add(1, 100, 2, 200);
  call.input_qos = call.output_qos = gsmp::QosModel::kOptional;
  call.input_selector = call.output_selector = 2;
  EXPECT_EQ(code(id, call), FailureCode::kNoSuchClass);
  call.input_selector = call.output_selector = 1;
  EXPECT_EQ(code(id, call), FailureCode::kNone);
  region.header.type = MessageType::kSetSchedulableRegion;
  region.region = reported;
  region.region.classes = 1;
  EXPECT_EQ(code(id, region), FailureCode::kNoSuchClass);
  // Room for one call of either class alone.
  region.region = reported;
  region.region.any_of[0][0] = region.region.any_of[0][1] = 1;
  EXPECT_EQ(code(id, region), FailureCode::kNone);
  EXPECT_EQ(code(id, call), FailureCode::kNone) << "the call exists: a repeat, not a further call";
  gsmp::AddBranch second = add(1, 101, 2, 201);
  second.input_qos = second.output_qos = gsmp::QosModel::kOptional;
  EXPECT_EQ(code(id, second), FailureCode::kOutsideRegion);
}

// ----- version 1.1 -------------------------------------------------------------------------------

TEST_F(AgentMessagesTest, Version1) {
  const ControllerId old = connect(1);
  gsmp::AddBranch request = add(1, 100, 2, 200);
  request.header.version = 1;
  request.input_selector = request.output_selector = 200;  // the nearest value
  EXPECT_EQ(code(old, request), FailureCode::kNone);
  EXPECT_EQ(fabric.find(PortId(1), atm_label(0, 100))->branches.at(0).output_qos.selector, 3U);
  gsmp::VerifyTree verify;
  verify.header.transaction = 1;
  verify.port_session = session(1);
  verify.input_port = PortId(1);
  verify.input_label = label(0, 100);
  verify.branches = 2;
  const auto counted = answer<gsmp::VerifyTree>(old, verify);
  EXPECT_EQ(counted.header.code, FailureCode::kGeneral);
  EXPECT_EQ(counted.branches, 1);
  verify.branches = 1;
  EXPECT_EQ(code(old, verify), FailureCode::kNone);
  table.set_line(PortId(2), false);
  const auto events = take(old);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<gsmp::Event>(events[0]).header.version, 1);
  // Neither accepts messages in the version of the other.
  request.header.version = 3;
  EXPECT_TRUE(ask(old, request).empty());
  gsmp::DeleteBranches gone;
  gone.header.version = 1;
  gone.header.transaction = 1;
  gone.elements = {{.port_session = session(1),
                    .input_port = PortId(1),
                    .output_port = PortId(2),
                    .input_label = label(0, 100),
                    .output_label = label(0, 200)}};
  EXPECT_EQ(answer<gsmp::DeleteBranches>(old, gone).elements.size(), 1U);
  EXPECT_EQ(answer<gsmp::DeleteBranches>(old, gone).elements.at(0).error,
            FailureCode::kNoSuchConnection);
}

// ----- invalid messages -----

TEST_F(AgentMessagesTest, RandomBodiesNeverCrashIt) {
  constexpr std::uint32_t kSeed = 8;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  gsmp::SwitchConfiguration configuration;
  configuration.header.transaction = 1;
  configuration.model_types[0] = kModelRegion;
  ask(id, configuration);
  const ControllerId old = connect(1);
  for (int i = 0; i < 20000; ++i) {
    const bool v1 = i % 4 == 0;
    const std::size_t octets = 12 + 4 * (random() % 24);
    wire::Buffer frame{std::byte{0x88}, std::byte{0x0c}, std::byte{0},
                       static_cast<std::byte>(octets)};
    for (std::size_t o = 0; o < octets; ++o)
      frame.push_back(static_cast<std::byte>(random() % 3 == 0 ? random() & 0xff : random() & 3));
    frame[4] = std::byte{v1 ? std::uint8_t{1} : std::uint8_t{3}};
    frame[5] = static_cast<std::byte>(random() % 2 == 0 ? random() & 0xff : 16 + random() % 60);
    if (frame[5] == std::byte{10}) continue;
    frame[6] = static_cast<std::byte>(1 + random() % 2);
    if (!v1) {
      frame[8] = std::byte{0};
      frame[12] = std::byte{0x80};
      frame[13] = std::byte{1};
      frame[14] = std::byte{0};
      frame[15] = static_cast<std::byte>(octets);
    }
    const ControllerId to = v1 ? old : id;
    agent.receive(to, frame, now);
    wire::Buffer out;
    agent.take_output(to, out);
    EXPECT_LT(out.size(), 1U << 20);
    ASSERT_FALSE(agent.to_close(to));
  }
  EXPECT_GT(agent.counters().failures_sent, 1000U);
}

}  // namespace
}  // namespace xbind::switchagent::test
