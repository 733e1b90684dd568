#include "tests/unit/switchagent/agent_fixture.hpp"

#include <array>
#include <utility>
#include <variant>

namespace xbind::switchagent::test {

gsmp::LabelField label(std::uint32_t vpi, std::uint32_t vci, std::uint8_t flags) {
  return gsmp::label_field(atm_label(vpi, vci), flags);
}

FabricOptions AgentFixture::fabric_options() {
  FabricOptions options;
  options.ports = 3;
  options.labels = {0, 9, 32, 1023};
  return options;
}

AgentOptions AgentFixture::agent_options() {
  AgentOptions options;
  options.name = 0x0200000b0001;
  options.region_model = true;
  return options;
}

AgentFixture::AgentFixture(FabricOptions with, AgentOptions and_with)
    : fabric(std::move(with), [this] { return next_session++; }),
      agent(table, std::move(and_with), [] { return 0x3d4e5fU; }) {}

AgentFixture::~AgentFixture() = default;

void establish(SwitchAgent& agent, ControllerId at, const gsmp::AdjacencyOptions& options,
               std::uint32_t instance, TimePoint now) {
  gsmp::Adjacency master(options, [instance] { return instance; });
  wire::Buffer to_switch;
  master.start(now, to_switch);
  for (int turn = 0; turn < 8; ++turn) {
    agent.receive(at, to_switch, now);
    to_switch.clear();
    wire::Buffer out;
    agent.take_output(at, out);
    gsmp::FrameReader reader;
    reader.feed(out, [&](std::span<const std::byte> message) {
      if (message[1] != std::byte{10}) return true;
      const auto decoded = gsmp::decode_adjacency(message);
      if (decoded) master.receive(*decoded, now, to_switch);
      return true;
    });
  }
  EXPECT_TRUE(master.established());
}

ControllerId AgentFixture::connect(std::uint8_t version) {
  gsmp::AdjacencyOptions options;
  options.name = 0x0200000a0001;
  options.versions = {version};
  const ControllerId id = agent.connected(now).value();
  establish(agent, id, options, 0x0a1b2cU, now);
  return id;
}

std::vector<gsmp::Message> AgentFixture::take(ControllerId id) {
  wire::Buffer out;
  agent.take_output(id, out);
  return gsmp::test::messages_of(out);
}

std::vector<gsmp::Message> AgentFixture::ask_frame(ControllerId id, const wire::Buffer& request) {
  take(id);
  agent.receive(id, request, now);
  return take(id);
}

gsmp::FailureCode AgentFixture::code_of(const std::vector<gsmp::Message>& answers) {
  EXPECT_EQ(answers.size(), 1U);
  if (answers.empty()) return gsmp::FailureCode::kUnspecified;
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.header.code; }) return one.header.code;
        return gsmp::FailureCode::kUnspecified;
      },
      answers[0]);
}

std::uint32_t AgentFixture::session(std::uint32_t port) const {
  return fabric.has(PortId(port)) ? fabric.port_session(PortId(port)) : 0;
}

gsmp::AddBranch AgentFixture::add(std::uint32_t in, std::uint32_t in_vci, std::uint32_t out,
                                  std::uint32_t out_vci) const {
  gsmp::AddBranch request;
  request.header.transaction = 1;
  request.port_session = session(in);
  request.input_port = PortId(in);
  request.output_port = PortId(out);
  request.input_label = label(0, in_vci);
  request.output_label = label(0, out_vci);
  return request;
}

gsmp::PortManagement AgentFixture::manage(std::uint32_t port, gsmp::PortFunction function) const {
  gsmp::PortManagement request;
  request.header.transaction = 1;
  request.port = PortId(port);
  request.port_session = session(port);
  request.function = function;
  return request;
}

void AgentFixture::cell_in(std::uint32_t port, std::uint32_t vpi, std::uint32_t vci) {
  dataplane::Cell cell;
  cell.header = dataplane::cell_header(vpi, vci);
  fabric.cells().receive(PortId(port), std::span(&cell, 1), now);
}

std::vector<std::pair<int, int>> AgentFixture::cells_out(std::uint32_t port) {
  now += std::chrono::seconds{1};
  std::array<dataplane::Cell, 64> cells;
  const std::size_t count = fabric.cells().transmit(PortId(port), cells, now);
  std::vector<std::pair<int, int>> labels;
  for (std::size_t i = 0; i < count; ++i) labels.emplace_back(cells[i].vpi(), cells[i].vci());
  return labels;
}

}  // namespace xbind::switchagent::test
