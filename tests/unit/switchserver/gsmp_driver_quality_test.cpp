// The driver against a switch that the test plays by hand: what it says of quality of service, what it
// does about events and new port sessions, moves and counters.
#include <gmock/gmock.h>

#include "switchserver/gsmp/port_management.hpp"
#include "switchserver/gsmp_driver.hpp"
#include "tests/unit/switchserver/gsmp/hex.hpp"

namespace xbind {
namespace {

using namespace std::chrono_literals;
using gsmp::MessageType;
using gsmp::ResultField;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TrafficContract kCbr{ServiceCategory::kCbr, 4528, 250};

CrossConnect cross(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {PortId{1}, atm_label(0, input_vci), PortId{2}, atm_label(0, output_vci)};
}

class GsmpDriverByHand : public ::testing::Test {
 protected:
  GsmpDriverByHand() {
    for (std::uint32_t port = 1; port <= 2; ++port) {
      gsmp::PortRecord& record = ports[PortId{port}];
      record.port = PortId{port};
      record.port_session = 0x5eed0000 + port;
      record.label_ranges = {
          {gsmp::label_field(atm_label(0, 32)), gsmp::label_field(atm_label(0, 1023))}};
      record.transmit_cells_per_s = 353207;
      record.priorities = 4;
      record.services = {{{1, 1}, {5, 1}, {8, 1}}};  // CBR.1, nrt-VBR.1, UBR.1
    }
    gsmp::CapabilitySet policed{.id = 1, .policing = gsmp::TrafficControl::kPerConnection};
    services = {{gsmp::ServiceId::kCbr1, {policed}}, {gsmp::ServiceId::kUbr1, {policed}}};
  }

  static gsmp::SessionOptions options() {
    gsmp::SessionOptions options;
    options.adjacency.name = 0x0200000a0001;
    options.adjacency.port = 1;
    return options;
  }

  // <-- SYNACK;  --> ACK, Switch Configuration;  and so on until the driver has the ports
  void bring_up() {
    driver.connected(now);
    driver.receive(gsmp::test::golden("A3"), now);
    play();
    ASSERT_THAT(taken<driver::Up>(), SizeIs(1));
  }

  // The switch answers what it is asked about itself, ports and services included; everything else
  // waits in `asked`.
  void play() {
    for (;;) {
      wire::Buffer octets;
      driver.take_output(octets);
      if (octets.empty()) return;
      for (const gsmp::Message& message : gsmp::test::messages_of(octets)) {
        if (!answered(message)) asked.push_back(message);
      }
    }
  }
  bool answered(const gsmp::Message& message) {
    if (std::holds_alternative<gsmp::AdjacencyMessage>(message)) return true;
    if (const auto* request = std::get_if<gsmp::SwitchConfiguration>(&message)) {
      gsmp::SwitchConfiguration answer = *request;
      answer.header.result = ResultField::kSuccess;
      answer.window = 256;
      say(answer);
    } else if (const auto* all = std::get_if<gsmp::AllPortsRequest>(&message)) {
      gsmp::AllPortsPart answer;
      answer.header.transaction = all->header.transaction;
      answer.header.result = ResultField::kSuccess;
      for (const auto& [id, record] : ports) answer.records.push_back(record);
      answer.total = static_cast<std::uint16_t>(answer.records.size());
      say(answer);
    } else if (const auto* one = std::get_if<gsmp::PortConfigurationRequest>(&message)) {
      ++port_reads;
      if (const auto found = ports.find(one->port); found != ports.end()) {
        gsmp::PortConfiguration answer;
        answer.header.transaction = one->header.transaction;
        answer.record = found->second;
        say(answer);
      } else {
        fail(message, gsmp::FailureCode::kNoSuchPort);
      }
    } else if (const auto* which = std::get_if<gsmp::ServiceConfigurationRequest>(&message)) {
      gsmp::ServiceConfiguration answer;
      answer.header.transaction = which->header.transaction;
      answer.services = services;
      say(answer);
    } else {
      return false;
    }
    return true;
  }
  template <class M>
  void say(const M& message) {
    driver.receive(gsmp::test::framed(message), now);
  }
  // The request comes back with this result and code.
  void answer(gsmp::Message request, ResultField result, gsmp::FailureCode code) {
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.header; }) {
            one.header.result = result;
            one.header.code = code;
          }
        },
        request);
    say(request);
  }
  void succeed(const gsmp::Message& request) {
    answer(request, ResultField::kSuccess, gsmp::FailureCode::kNone);
  }
  void fail(const gsmp::Message& request, gsmp::FailureCode code) {
    answer(request, ResultField::kFailure, code);
  }

  void happens(MessageType type, std::uint32_t port) {
    gsmp::PortRecord& record = ports[PortId{port}];
    gsmp::Event event;
    event.header.type = type;
    event.port = PortId{port};
    event.port_session = record.port_session;
    event.sequence = ++record.event_sequence;
    if (type == MessageType::kInvalidLabel) event.label = gsmp::label_field(atm_label(0, 999));
    say(event);
    play();
  }

  template <class T>
  std::vector<T> taken() {
    std::vector<T> found;
    for (const driver::Event& event : driver.take_events()) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }
  // What was asked and not answered, of one type.
  template <class M>
  std::vector<M> requests() {
    play();
    std::vector<M> found;
    for (const gsmp::Message& message : std::exchange(asked, {})) {
      if (const M* one = std::get_if<M>(&message)) found.push_back(*one);
    }
    return found;
  }
  gsmp::AddBranch added(const TrafficContract& contract) {
    driver.add(cross(101, 201), contract, 1);
    driver.flush();
    const auto adds = requests<gsmp::AddBranch>();
    EXPECT_THAT(adds, SizeIs(1));
    return adds.empty() ? gsmp::AddBranch{} : adds[0];
  }

  std::map<PortId, gsmp::PortRecord> ports;
  std::vector<gsmp::ServiceRecord> services;
  std::vector<gsmp::Message> asked;
  int port_reads = 0;
  TimePoint now{1s};
  GsmpDriver driver{options(), [] { return 0x0a1b2cU; }};
};

MATCHER_P2(Answered, cookie, cause, "") { return arg.cookie == cookie && arg.cause == cause; }

// ----- quality of service ---------------------------------------------------------------------

TEST_F(GsmpDriverByHand, AContractTravelsAsAServiceWithOneBlock) {
  bring_up();
  // --> the octets of vector B4, but for its transaction
  driver.add(cross(101, 201), kCbr, 1);
  driver.flush();
  wire::Buffer octets;
  driver.take_output(octets);
  wire::Buffer expected = gsmp::test::golden("B4");
  std::copy_n(octets.begin() + 9, 3, expected.begin() + 9);
  EXPECT_EQ(gsmp::test::to_hex(octets), gsmp::test::to_hex(expected));
  EXPECT_EQ(driver.driver_counters().by_service, 1U);
}

TEST_F(GsmpDriverByHand, PolicingIsAskedForOnlyWhereItIsOfferedAndPromisedSomething) {
  bring_up();
  EXPECT_EQ(added(kCbr).input_traffic->tc_flags, gsmp::kTcPolicing);
  EXPECT_EQ(added({ServiceCategory::kUbr, 4528, 250}).input_traffic->tc_flags, 0);
  EXPECT_EQ(added({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}).input_traffic->tc_flags, 0);
}

TEST_F(GsmpDriverByHand, EveryCategoryHasItsBlock) {
  for (auto& [id, record] : ports) {
    record.services = {{{1, 1}, {2, 1}, {5, 1}, {8, 1}, {12, 1}}};
  }
  bring_up();
  const auto block = [&](const TrafficContract& contract) {
    const gsmp::AddBranch add = added(contract);
    EXPECT_EQ(add.input_selector, add.output_selector);
    EXPECT_TRUE(add.one_traffic_block);
    return std::pair{add.input_selector >> 16, add.input_traffic->parameters};
  };
  using gsmp::TrafficParameters;
  EXPECT_EQ(block(kCbr), std::pair(1U, TrafficParameters{gsmp::CellRate{4528, 250}}));
  EXPECT_EQ(block({ServiceCategory::kRtVbr, 4528, 250, 100, 30}),
            std::pair(2U, TrafficParameters{gsmp::VariableRate{4528, 250, 100, 30}}));
  EXPECT_EQ(block({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}),
            std::pair(5U, TrafficParameters{gsmp::VariableRate{4528, 250, 100, 30}}));
  EXPECT_EQ(block({ServiceCategory::kUbr, 4528, 250}),
            std::pair(8U, TrafficParameters{gsmp::CellRate{4528, 250}}));
  EXPECT_EQ(block({ServiceCategory::kGfr, 4528, 250, 100, 30, 20}),
            std::pair(12U, TrafficParameters{gsmp::GuaranteedFrameRate{4528, 250, 100, 30, 20}}));
}

TEST_F(GsmpDriverByHand, AServiceThatAPortDoesNotOfferGoesByPriority) {
  ports[PortId{2}].services = {{{8, 1}, {1, 2}}};  // CBR with another capability set
  ports[PortId{2}].priorities = 2;
  bring_up();
  const auto selectors = [&](const TrafficContract& contract) {
    const gsmp::AddBranch add = added(contract);
    EXPECT_EQ(add.input_qos, gsmp::QosModel::kPriority);
    EXPECT_EQ(add.output_qos, gsmp::QosModel::kPriority);
    EXPECT_FALSE(add.input_traffic);
    return std::pair{add.input_selector, add.output_selector};
  };
  EXPECT_EQ(selectors(kCbr), std::pair(0U, 0U));
  EXPECT_EQ(selectors({ServiceCategory::kRtVbr, 4528, 250, 100, 30}), std::pair(1U, 1U));
  EXPECT_EQ(selectors({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}), std::pair(2U, 1U));
  EXPECT_EQ(selectors({ServiceCategory::kGfr, 4528, 250, 100, 30, 20}), std::pair(3U, 1U));
  EXPECT_EQ(selectors({}), std::pair(0U, 0U)) << "no contract";
  EXPECT_EQ(driver.driver_counters().by_priority, 4U);
  EXPECT_EQ(driver.driver_counters().by_service, 0U);
}

TEST_F(GsmpDriverByHand, ASwitchThatTellsNoServiceConfigurationComesUpAllTheSame) {
  driver.connected(now);
  driver.receive(gsmp::test::golden("A3"), now);
  wire::Buffer octets;
  for (int step = 0; step < 3; ++step) {
    driver.take_output(octets);
    for (const gsmp::Message& message : gsmp::test::messages_of(octets)) {
      if (std::holds_alternative<gsmp::ServiceConfigurationRequest>(message)) {
        fail(message, gsmp::FailureCode::kNotImplemented);
      } else {
        answered(message);
      }
    }
  }
  EXPECT_THAT(taken<driver::Up>(), SizeIs(1));
  EXPECT_EQ(added(kCbr).input_traffic->tc_flags, 0);
}

// ----- move -----------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, AMoveIsOneRequestWithTheContract) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), kCbr, 9);
  driver.flush();
  const auto moves = requests<gsmp::MoveOutputBranch>();
  ASSERT_THAT(moves, SizeIs(1));
  EXPECT_EQ(moves[0].port_session, 0x5eed0001U);
  EXPECT_EQ(moves[0].input_label.value, 101U);
  EXPECT_EQ(moves[0].old_output_port, PortId{2});
  EXPECT_EQ(moves[0].old_output_label.value, 201U);
  EXPECT_EQ(moves[0].new_output_port, PortId{2});
  EXPECT_EQ(moves[0].new_output_label.value, 301U);
  EXPECT_EQ(moves[0].input_traffic->parameters,
            (gsmp::TrafficParameters{gsmp::CellRate{4528, 250}}));
  succeed(moves[0]);
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(9U, Cause::kNone)));
}

TEST_F(GsmpDriverByHand, AMoveOfWhatIsNotThereIsRefused) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 9);
  driver.flush();
  fail(requests<gsmp::MoveOutputBranch>().at(0), gsmp::FailureCode::kNoSuchBranch);
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(9U, Cause::kSwitchRefused)));
  EXPECT_EQ(done[0].failure_code, 12);
  EXPECT_FALSE(done[0].again);
  EXPECT_TRUE(done[0].absent);
}

TEST_F(GsmpDriverByHand, AMoveComesBehindTheDeletesThatMayFreeItsLabel) {
  bring_up();
  driver.remove(cross(100, 301), 1);
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 2);
  driver.flush();
  play();
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<gsmp::DeleteBranches>(asked[0]));
  EXPECT_TRUE(std::holds_alternative<gsmp::MoveOutputBranch>(asked[1]));
}

TEST_F(GsmpDriverByHand, AMoveThatIsNotAnsweredTimesOut) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 9);
  play();
  now += 2s;
  driver.tick(now);
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(9U, Cause::kTimeout)));
}

// ----- counters -------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, CountersOfAPortAndOfAConnection) {
  bring_up();
  driver.read_statistics(PortId{2}, {}, 1);
  driver.read_statistics(PortId{1}, atm_label(0, 101), 2);
  const auto asked_for = requests<gsmp::StatisticsRequest>();
  ASSERT_THAT(asked_for, SizeIs(2));
  EXPECT_EQ(asked_for[0].header.type, MessageType::kPortStatistics);
  EXPECT_EQ(asked_for[1].header.type, MessageType::kConnectionStatistics);
  EXPECT_EQ(asked_for[1].label.value, 101U);
  gsmp::Statistics told;
  told.header.type = MessageType::kPortStatistics;
  told.header.transaction = asked_for[0].header.transaction;
  told.port = PortId{2};
  told.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  say(told);
  fail(asked_for[1], gsmp::FailureCode::kNoSuchConnection);
  const auto counted = taken<driver::Statistics>();
  ASSERT_THAT(counted,
              ElementsAre(Answered(1U, Cause::kNone), Answered(2U, Cause::kSwitchRefused)));
  EXPECT_EQ(counted[0].counters, (CellCounters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(counted[1].failure_code, 11);
}

// ----- events ---------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, EachEventIsAnsweredByResettingItsFlag) {
  bring_up();
  ports[PortId{2}].line_status = gsmp::LineStatus::kDown;
  // <-- Port Down;  --> Port Configuration, Port Management Reset Flags
  happens(MessageType::kPortDown, 2);
  auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].function, gsmp::PortFunction::kResetFlags);
  EXPECT_EQ(resets[0].port, PortId{2});
  EXPECT_EQ(resets[0].port_session, 0x5eed0002U);
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventPortDown);
  EXPECT_EQ(resets[0].flow_control_flags, 0) << "a 1 would switch it off";
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_FALSE(news[0].ports.at(1).up);
  EXPECT_TRUE(news[0].ports.at(0).up);
  EXPECT_THAT(news[0].renewed, IsEmpty());
  EXPECT_EQ(driver.driver_counters().port_down, 1U);
}

TEST_F(GsmpDriverByHand, APortThatComesUpHasANewSessionAndItsHopsAreToBeAssertedAgain) {
  bring_up();
  ports[PortId{1}].port_session = 0x5eed0011;
  happens(MessageType::kPortUp, 1);
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].renewed, ElementsAre(PortId{1}));
  EXPECT_EQ(added({}).port_session, 0x5eed0011U);
}

TEST_F(GsmpDriverByHand, PortsThatComeAndGoAreTold) {
  bring_up();
  ports[PortId{3}] = ports[PortId{2}];
  ports[PortId{3}].port = PortId{3};
  happens(MessageType::kNewPort, 3);
  auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].ports, SizeIs(3));
  gsmp::Event dead;
  dead.header.type = MessageType::kDeadPort;
  dead.port = PortId{2};
  dead.sequence = 1;
  ports.erase(PortId{2});
  say(dead);
  play();
  news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_THAT(news[0].ports, SizeIs(2));
  EXPECT_EQ(driver.driver_counters().new_port, 1U);
  EXPECT_EQ(driver.driver_counters().dead_port, 1U);
}

TEST_F(GsmpDriverByHand, InvalidLabelsAreLetThroughTenTimesASecond) {
  bring_up();
  const int reads = port_reads;
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), SizeIs(1));
  // The switch, its flag cleared, has the next at once: that has to wait.
  happens(MessageType::kInvalidLabel, 1);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  EXPECT_EQ(driver.next_deadline(), now + GsmpDriver::kInvalidLabelPause);
  now += GsmpDriver::kInvalidLabelPause;
  driver.tick(now);
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  EXPECT_EQ(resets[0].event_flags, gsmp::kEventInvalidLabel);
  EXPECT_EQ(driver.driver_counters().invalid_label, 2U);
  EXPECT_EQ(port_reads, reads) << "nothing was missed";
}

TEST_F(GsmpDriverByHand, AGapInTheEventsHasThePortReadAgain) {
  bring_up();
  happens(MessageType::kInvalidLabel, 1);
  const auto resets = requests<gsmp::PortManagement>();
  ASSERT_THAT(resets, SizeIs(1));
  // The line went down, and that event was held back; the answer to the reset betrays it.
  ports[PortId{1}].event_sequence = 2;
  ports[PortId{1}].line_status = gsmp::LineStatus::kDown;
  gsmp::PortManagement told = resets[0];
  told.event_sequence = 2;
  succeed(told);
  play();
  const auto news = taken<driver::Ports>();
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_FALSE(news[0].ports.at(0).up);
  EXPECT_EQ(driver.driver_counters().event_gaps, 1U);
}

TEST_F(GsmpDriverByHand, AdjacencyUpdateIsOnlyCounted) {
  bring_up();
  gsmp::Event update;
  update.header.type = MessageType::kAdjacencyUpdate;
  update.header.code = static_cast<gsmp::FailureCode>(2);
  say(update);
  EXPECT_THAT(requests<gsmp::PortManagement>(), IsEmpty());
  EXPECT_EQ(driver.driver_counters().adjacencies, 2U);
}

// ----- a port session that has changed --------------------------------------------------------

TEST_F(GsmpDriverByHand, ARequestOnItsWayWhenThePortChangedMayBeAskedAgain) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.remove(cross(102, 202), 2);
  driver.flush();
  const auto adds = requests<gsmp::AddBranch>();
  ports[PortId{1}].port_session = 0x5eed0011;
  happens(MessageType::kPortUp, 1);
  taken<driver::Ports>();
  fail(adds.at(0), gsmp::FailureCode::kInvalidPortSession);
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(1U, Cause::kSwitchRefused)));
  EXPECT_TRUE(done[0].again);
}

TEST_F(GsmpDriverByHand, ARefusalThatComesBeforeTheEventHasThePortReadFirst) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  const auto adds = requests<gsmp::AddBranch>();
  ports[PortId{1}].port_session = 0x5eed0011;  // and its event is held back
  fail(adds.at(0), gsmp::FailureCode::kInvalidPortSession);
  EXPECT_THAT(driver.take_events(), IsEmpty());
  play();
  const auto events = driver.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_TRUE(std::get<driver::Done>(events[0]).again);
  EXPECT_THAT(std::get<driver::Ports>(events[1]).renewed, ElementsAre(PortId{1}));
}

TEST_F(GsmpDriverByHand, ARefusalOfTheRightNumberStays) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  fail(requests<gsmp::AddBranch>().at(0), gsmp::FailureCode::kInvalidPortSession);
  play();
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(1U, Cause::kSwitchRefused)));
  EXPECT_FALSE(done[0].again);
}

TEST_F(GsmpDriverByHand, WhatWaitsForAPortWhenTheSwitchGoesIsUnreachable) {
  bring_up();
  driver.add(cross(101, 201), {}, 1);
  driver.flush();
  fail(requests<gsmp::AddBranch>().at(0), gsmp::FailureCode::kInvalidPortSession);
  driver.closed(now);
  const auto events = driver.take_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(std::get<driver::Done>(events[0]).cause, Cause::kSwitchUnreachable);
  EXPECT_TRUE(std::holds_alternative<driver::Down>(events[1]));
}

}  // namespace
}  // namespace xbind
