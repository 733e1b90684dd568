#include "tests/unit/switchserver/drivers/gsmp_driver_by_hand.hpp"

#include <utility>

namespace xbind {

GsmpDriverByHand::GsmpDriverByHand() {
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

GsmpDriverByHand::~GsmpDriverByHand() = default;

CrossConnect GsmpDriverByHand::cross(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {PortId{1}, atm_label(0, input_vci), PortId{2}, atm_label(0, output_vci)};
}

gsmp::SessionOptions GsmpDriverByHand::options() {
  gsmp::SessionOptions options;
  options.adjacency.name = 0x0200000a0001;
  options.adjacency.port = 1;
  return options;
}

void GsmpDriverByHand::bring_up() {
  driver.connected(now);
  driver.receive(gsmp::test::golden("A3"), now);
  play();
  ASSERT_THAT(taken<driver::Up>(), ::testing::SizeIs(1));
}

void GsmpDriverByHand::play() {
  for (;;) {
    wire::Buffer octets;
    driver.take_output(octets);
    if (octets.empty()) return;
    for (const gsmp::Message& message : gsmp::test::messages_of(octets)) {
      if (!answered(message)) asked.push_back(message);
    }
  }
}

bool GsmpDriverByHand::answered(const gsmp::Message& message) {
  if (std::holds_alternative<gsmp::AdjacencyMessage>(message)) return true;
  if (const auto* request = std::get_if<gsmp::SwitchConfiguration>(&message)) {
    gsmp::SwitchConfiguration answer = *request;
    answer.header.result = gsmp::ResultField::kSuccess;
    answer.window = 256;
    say(answer);
  } else if (const auto* all = std::get_if<gsmp::AllPortsRequest>(&message)) {
    gsmp::AllPortsPart answer;
    answer.header.transaction = all->header.transaction;
    answer.header.result = gsmp::ResultField::kSuccess;
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

void GsmpDriverByHand::answer(gsmp::Message request, gsmp::ResultField result,
                              gsmp::FailureCode code) {
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

void GsmpDriverByHand::succeed(const gsmp::Message& request) {
  answer(request, gsmp::ResultField::kSuccess, gsmp::FailureCode::kNone);
}

void GsmpDriverByHand::fail(const gsmp::Message& request, gsmp::FailureCode code) {
  answer(request, gsmp::ResultField::kFailure, code);
}

gsmp::Event GsmpDriverByHand::event(gsmp::MessageType type, std::uint32_t port,
                                    std::uint32_t missed) {
  gsmp::PortRecord& record = ports[PortId{port}];
  record.event_sequence += missed + 1;
  gsmp::Event event;
  event.header.type = type;
  event.port = PortId{port};
  event.port_session = record.port_session;
  event.sequence = record.event_sequence;
  if (type == gsmp::MessageType::kInvalidLabel) event.label = gsmp::label_field(atm_label(0, 999));
  return event;
}

void GsmpDriverByHand::happens(gsmp::MessageType type, std::uint32_t port, std::uint32_t missed) {
  say(event(type, port, missed));
  play();
}

gsmp::AddBranch GsmpDriverByHand::added(const TrafficContract& contract) {
  driver.add(cross(101, 201), contract, 1);
  driver.flush();
  const auto adds = requests<gsmp::AddBranch>();
  EXPECT_THAT(adds, ::testing::SizeIs(1));
  return adds.empty() ? gsmp::AddBranch{} : adds[0];
}

}  // namespace xbind
