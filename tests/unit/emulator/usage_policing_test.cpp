// Connections that are policed by the contracts of their Add Branch messages, and queues by service
// category, in a complete emulated switch.
#include "emulator/usage_policing.hpp"

#include "tests/unit/emulator/emulated_fixture.hpp"

namespace xbind::emulator::test {
namespace {

using namespace std::chrono_literals;
using dataplane::Cell;
using gsmp::ServiceId;

EmulatedSwitchOptions with(PolicingMode policing, QueueingKind queueing = QueueingKind::kFifo) {
  EmulatedSwitchOptions options;
  options.name = "sw1";
  options.fabric.ports = 3;
  options.fabric.services = switchagent::default_services();
  gsmp::ServiceRecord tagging = options.fabric.services[2];
  tagging.service = ServiceId::kNrtVbr3;
  options.fabric.services.push_back(tagging);
  options.agent.name = switchagent::name_from("sw1");
  options.policing = policing;
  options.queueing = queueing;
  return options;
}

class PolicedSwitch : public EmulatedTest {
 protected:
  explicit PolicedSwitch(PolicingMode mode = PolicingMode::kDiscard,
                         QueueingKind queueing = QueueingKind::kFifo)
      : EmulatedTest(with(mode, queueing)) {
    connect(controller);
    EXPECT_TRUE(controller.session->switch_configuration(0, 0, now));
    settle();
    controller.session->take_events();
  }

  void add_service(std::uint32_t vci, ServiceId service, const gsmp::TrafficParameters& traffic,
                   std::uint8_t flags = gsmp::kTcPolicing) {
    gsmp::AddBranch request = add(vci, vci);
    set_service(request, service, 1, {flags, traffic});
    ASSERT_TRUE(controller.session->add_branch(request, ++cookie, now));
    settle();
    const auto answers = only<gsmp::Response>(controller);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_TRUE(answers[0].success) << static_cast<int>(answers[0].code);
  }
  void add_cbr(std::uint32_t vci, std::uint32_t pcr, std::uint8_t flags = gsmp::kTcPolicing) {
    add_service(vci, ServiceId::kCbr1, gsmp::CellRate{pcr, 0}, flags);
  }
  struct Sent {
    std::size_t cells = 0;
    std::size_t tagged = 0;
  };
  // A second of cells at that rate into port 1; returns the number of cells that left port 2.
  Sent send(std::uint32_t vci, std::uint32_t cells_per_s) {
    Sent sent;
    const TimePoint begin = now;
    const Cell cell{.header = dataplane::cell_header(0, vci), .payload = {}};
    for (std::uint64_t index = 0; index < cells_per_s; ++index) {
      now = begin + Duration{index * 1'000'000'000 / cells_per_s};
      emulated.fabric().cells().receive(PortId(1), std::span(&cell, 1), now);
      collect(sent);
    }
    now = begin + 1s;
    collect(sent);
    return sent;
  }
  void collect(Sent& sent) {
    std::array<Cell, 64> cells;
    const std::size_t count = emulated.fabric().cells().transmit(PortId(2), cells, now);
    for (std::size_t one = 0; one < count; ++one) sent.tagged += cells[one].clp() ? 1 : 0;
    sent.cells += count;
  }
  std::uint64_t discards_at_port() const {
    return emulated.fabric().cells().counters(PortId(1)).input_discards;
  }

  Controller& controller = add_controller();
  std::uint64_t cookie = 0;
};

TEST_F(PolicedSwitch, AConnectionThatSendsTwiceItsPeakRateIsCutToIt) {
  add_cbr(100, 1000);
  EXPECT_EQ(send(100, 1000).cells, 1000U);
  EXPECT_EQ(discards_at_port(), 0U);
  EXPECT_EQ(send(100, 2000).cells, 1000U);
  EXPECT_EQ(discards_at_port(), 1000U);
  EXPECT_EQ(emulated.policed().discarded, 1000U);
}

TEST_F(PolicedSwitch, OneConnectionsExcessIsNotTheOthers) {
  add_cbr(100, 1000);
  add_cbr(101, 1000);
  EXPECT_EQ(send(100, 4000).cells, 1000U);
  EXPECT_EQ(send(101, 1000).cells, 1000U);
}

TEST_F(PolicedSwitch, AnotherContractHoldsFromTheNextCellOn) {
  add_cbr(100, 1000);
  EXPECT_EQ(send(100, 2000).cells, 1000U);
  add_cbr(100, 2000);
  EXPECT_EQ(send(100, 2000).cells, 2000U);
  add_cbr(100, 500);
  EXPECT_EQ(send(100, 2000).cells, 500U);
  EXPECT_EQ(emulated.policed().discarded, 2500U);
}

TEST_F(PolicedSwitch, WhoDoesNotAskForItIsNotPoliced) {
  add_cbr(100, 1000, 0);
  EXPECT_EQ(send(100, 2000).cells, 2000U);
  ASSERT_TRUE(controller.session->add_branch(add(101, 201), ++cookie, now));  // a priority
  settle();
  EXPECT_EQ(send(101, 2000).cells, 2000U);
}

TEST_F(PolicedSwitch, StatisticsTellTheConnectionsDiscards) {
  add_cbr(100, 1000);
  send(100, 3000);
  const auto* connection = emulated.fabric().find_raw(PortId(1), atm_label(0, 100));
  const auto* policing = emulated.fabric().cells().policing();
  ASSERT_NE(policing, nullptr);
  EXPECT_EQ(policing->counters(connection->self).discarded, 2000U);

  gsmp::StatisticsRequest request;
  request.header.type = gsmp::MessageType::kConnectionStatistics;
  request.header.transaction = 9000;
  request.port = PortId(1);
  request.label = gsmp::label_field(atm_label(0, 100));
  wire::Buffer octets;
  gsmp::append_frame(octets, request);
  emulated.receive(controller.connection, octets, now);
  emulated.take_output(controller.connection, octets, now);
  const auto header = gsmp::decode_header(std::span(octets).subspan(gsmp::kFrameHeaderOctets));
  ASSERT_TRUE(header);
  const auto answer = gsmp::decode_statistics(header->header, header->body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->counters.input_cells, 3000U);
  EXPECT_EQ(answer->counters.input_cell_discards, 2000U);
}

TEST_F(PolicedSwitch, ALaterConnectionInTheSamePlaceBeginsAnew) {
  add_cbr(100, 1000);
  send(100, 2000);
  ASSERT_EQ(emulated.fabric().delete_tree(PortId(1), atm_label(0, 100)), gsmp::FailureCode::kNone);
  add_cbr(101, 1000);
  const auto* connection = emulated.fabric().find_raw(PortId(1), atm_label(0, 101));
  EXPECT_EQ(emulated.fabric().cells().policing()->counters(connection->self).discarded, 0U);
  EXPECT_EQ(send(101, 1000).cells, 1000U);
}

TEST_F(PolicedSwitch, AColdRestartPolicesStill) {
  emulated.restart(Restart::kCold, now);
  settle();
  connect(controller);
  add_cbr(100, 1000);
  EXPECT_EQ(send(100, 2000).cells, 1000U);
}

class TaggingSwitch : public PolicedSwitch {
 protected:
  TaggingSwitch() : PolicedSwitch(PolicingMode::kTag) {}
};

TEST_F(TaggingSwitch, OnlyVbr3IsTagged) {
  const gsmp::VariableRate rates{2000, 0, 1000, 1};
  add_service(100, ServiceId::kNrtVbr3, rates);
  const Sent third = send(100, 2000);
  EXPECT_EQ(third.cells, 2000U);
  EXPECT_EQ(third.tagged, 1000U);
  EXPECT_EQ(emulated.policed().tagged, 1000U);
  add_service(101, ServiceId::kNrtVbr1, rates);
  const Sent first = send(101, 2000);
  EXPECT_EQ(first.cells, 1000U);
  EXPECT_EQ(first.tagged, 0U);
}

class UnpolicedSwitch : public PolicedSwitch {
 protected:
  UnpolicedSwitch() : PolicedSwitch(PolicingMode::kOff) {}
};

TEST_F(UnpolicedSwitch, NothingIsPolicedUnlessTheOptionSaysSo) {
  add_cbr(100, 1000);
  EXPECT_EQ(send(100, 2000).cells, 2000U);
  EXPECT_EQ(emulated.fabric().cells().policing(), nullptr);
}

class QueueingSwitch : public PolicedSwitch {
 protected:
  explicit QueueingSwitch(QueueingKind kind) : PolicedSwitch(PolicingMode::kOff, kind) {}

  void waits(std::uint32_t vci, int count) {
    const Cell cell{.header = dataplane::cell_header(0, vci), .payload = {}};
    for (int one = 0; one < count; ++one)
      emulated.fabric().cells().receive(PortId(1), std::span(&cell, 1), now);
  }
  // The VCIs of the next cells out of port 2.
  std::vector<int> next(std::size_t count) {
    now += 1s;
    std::vector<Cell> cells(count);
    cells.resize(emulated.fabric().cells().transmit(PortId(2), cells, now));
    std::vector<int> vcis;
    for (const Cell& cell : cells) vcis.push_back(cell.vci());
    return vcis;
  }
};
class ClassSwitch : public QueueingSwitch {
 protected:
  ClassSwitch() : QueueingSwitch(QueueingKind::kClass) {}
};
class FifoSwitch : public QueueingSwitch {
 protected:
  FifoSwitch() : QueueingSwitch(QueueingKind::kFifo) {}
};

TEST_F(FifoSwitch, UbrIsBelowAllThatIsPromisedSomething) {
  add_service(104, ServiceId::kUbr1, gsmp::CellRate{1000, 0}, 0);
  add_service(103, ServiceId::kGfr1, gsmp::GuaranteedFrameRate{1000, 0, 500, 10, 5}, 0);
  add_service(102, ServiceId::kNrtVbr1, gsmp::VariableRate{1000, 0, 500, 10}, 0);
  add_cbr(100, 1000);
  for (const std::uint32_t vci : {104U, 103U, 102U, 100U}) waits(vci, 2);
  EXPECT_EQ(next(9), (std::vector<int>{100, 100, 102, 102, 103, 103, 104, 104}));
}

TEST_F(ClassSwitch, ItsBufferIsSharedAndStaysAfterAColdRestart) {
  emulated.set_bounds(1'000, 3);
  for (const bool again : {false, true}) {
    if (again) {
      emulated.restart(Restart::kCold, now);
      settle();
      connect(controller);
    }
    add_service(104, ServiceId::kUbr1, gsmp::CellRate{1000, 0}, 0);
    add_cbr(100, 1000);
    waits(104, 3);
    waits(100, 2);
    EXPECT_EQ(next(9), (std::vector<int>{100, 100, 104}));
  }
}

TEST_F(ClassSwitch, TheServiceOfABranchDecidesItsQueue) {
  add_service(104, ServiceId::kUbr1, gsmp::CellRate{1000, 0}, 0);
  add_service(103, ServiceId::kGfr1, gsmp::GuaranteedFrameRate{1000, 0, 500, 10, 5}, 0);
  add_service(102, ServiceId::kNrtVbr1, gsmp::VariableRate{1000, 0, 500, 10}, 0);
  add_service(101, ServiceId::kRtVbr1, gsmp::VariableRate{1000, 0, 500, 10}, 0);
  add_cbr(100, 1000);
  for (const std::uint32_t vci : {104U, 103U, 102U}) waits(vci, 20);
  waits(101, 1);
  waits(100, 1);
  EXPECT_EQ(next(2 + 7), (std::vector<int>{100, 101, 102, 102, 102, 102, 103, 103, 104}));
  EXPECT_EQ(next(7), (std::vector<int>{102, 102, 102, 102, 103, 103, 104}));
}

TEST_F(ClassSwitch, AColdRestartKeepsTheQueues) {
  emulated.restart(Restart::kCold, now);
  settle();
  connect(controller);
  add_service(104, ServiceId::kUbr1, gsmp::CellRate{1000, 0}, 0);
  add_cbr(100, 1000);
  waits(104, 2);
  waits(100, 2);
  EXPECT_EQ(next(4), (std::vector<int>{100, 100, 104, 104}));
}

TEST(PolicedContractTest, OfVariableRatesTheThirdKindAloneIsTagged) {
  const auto tagging = [](ServiceId service) {
    switchagent::QosProfile profile;
    profile.input = {gsmp::QosModel::kService, gsmp::service_selector(service, 1)};
    profile.input_traffic =
        gsmp::TrafficBlock{gsmp::kTcPolicing, gsmp::VariableRate{1'000, 0, 100, 10}};
    return policed_contract(profile, PolicingMode::kTag).value().tagging;
  };
  for (const ServiceId service :
       {ServiceId::kRtVbr1, ServiceId::kRtVbr2, ServiceId::kNrtVbr1, ServiceId::kNrtVbr2}) {
    EXPECT_FALSE(tagging(service)) << gsmp::to_string(service);
  }
  EXPECT_TRUE(tagging(ServiceId::kRtVbr3));
  EXPECT_TRUE(tagging(ServiceId::kNrtVbr3));
}

TEST(UsagePolicingTest, AConnectionInThePlaceOfAnotherHasItsOwnCounters) {
  switchagent::FabricOptions two_ports;
  two_ports.ports = 2;
  switchagent::Fabric fabric(two_ports, [] { return 0x5eed0001U; });
  UsagePolicing policing(fabric, PolicingMode::kDiscard);
  // Two simultaneous cells of a connection that allows one.
  const auto discarded = [&](std::uint16_t vci) {
    gsmp::AddBranch request;
    request.input_port = PortId(1);
    request.output_port = PortId(2);
    request.input_label = request.output_label = gsmp::label_field(atm_label(0, vci));
    set_service(request, ServiceId::kCbr1, 1, {gsmp::kTcPolicing, gsmp::CellRate{100, 0}});
    EXPECT_EQ(fabric.add_branch(request), gsmp::FailureCode::kNone);
    const auto* connection = fabric.cells().table().find(dataplane::channel(PortId(1), 0, vci));
    for (int cell = 0; cell < 2; ++cell) policing.police(*connection, false, TimePoint{} + 1s);
    return policing.counters(connection->self).discarded;
  };
  EXPECT_EQ(discarded(100), 1U);
  EXPECT_EQ(fabric.delete_tree(PortId(1), atm_label(0, 100)), gsmp::FailureCode::kNone);
  EXPECT_EQ(discarded(101), 1U);
}

}  // namespace
}  // namespace xbind::emulator::test
