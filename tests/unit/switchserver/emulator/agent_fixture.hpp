// An agent and controllers that a test plays by hand, in either version.
#pragma once

#include <gtest/gtest.h>

#include "switchserver/emulator/switch_agent.hpp"
#include "tests/unit/switchserver/gsmp/hex.hpp"

namespace xbind::emulator::test {

inline gsmp::LabelField label(std::uint32_t vpi, std::uint32_t vci, std::uint8_t flags = 0) {
  return gsmp::label_field(atm_label(vpi, vci), flags);
}

class AgentFixture : public ::testing::Test {
 protected:
  static FabricOptions fabric_options() {
    FabricOptions options;
    options.ports = 3;
    options.labels = {0, 9, 32, 1023};
    return options;
  }
  static AgentOptions agent_options() {
    AgentOptions options;
    options.name = 0x0200000b0001;
    options.region_model = true;
    return options;
  }
  explicit AgentFixture(FabricOptions with = fabric_options(),
                        AgentOptions and_with = agent_options())
      : fabric(std::move(with), [this] { return next_session++; }),
        agent(fabric, std::move(and_with), [] { return 0x3d4e5fU; }) {}

  ControllerId connect(std::uint8_t version = 3) {
    gsmp::AdjacencyOptions options;
    options.name = 0x0200000a0001;
    options.versions = {version};
    gsmp::Adjacency master(options, [] { return 0x0a1b2cU; });
    const auto id = agent.connected(now);
    EXPECT_TRUE(id);
    wire::Buffer to_switch;
    master.start(now, to_switch);
    for (int turn = 0; turn < 8; ++turn) {
      agent.receive(*id, to_switch, now);
      to_switch.clear();
      wire::Buffer out;
      agent.take_output(*id, out);
      gsmp::FrameReader reader;
      reader.feed(out, [&](std::span<const std::byte> message) {
        if (message[1] != std::byte{10}) return true;
        const auto decoded = gsmp::decode_adjacency(message);
        if (decoded) master.receive(*decoded, now, to_switch);
        return true;
      });
    }
    EXPECT_TRUE(master.established());
    return *id;
  }
  std::vector<gsmp::Message> take(ControllerId id) {
    wire::Buffer out;
    agent.take_output(id, out);
    return gsmp::test::messages_of(out);
  }
  template <class M>
  std::vector<gsmp::Message> ask(ControllerId id, const M& request) {
    take(id);
    agent.receive(id, gsmp::test::framed(request), now);
    return take(id);
  }
  // The one answer; kNone is a success.
  template <class M>
  gsmp::FailureCode code(ControllerId id, const M& request) {
    const auto answers = ask(id, request);
    EXPECT_EQ(answers.size(), 1U);
    if (answers.empty()) return gsmp::FailureCode::kUnspecified;
    return std::visit(
        [](const auto& one) {
          if constexpr (requires { one.header.code; }) return one.header.code;
          return gsmp::FailureCode::kUnspecified;
        },
        answers[0]);
  }
  template <class A, class M>
  A answer(ControllerId id, const M& request) {
    const auto answers = ask(id, request);
    EXPECT_EQ(answers.size(), 1U);
    const A* one = answers.empty() ? nullptr : std::get_if<A>(&answers[0]);
    EXPECT_NE(one, nullptr);
    return one == nullptr ? A{} : *one;
  }
  // 0, which no port has, for a port that is not there.
  std::uint32_t session(std::uint32_t port) const {
    return fabric.has(PortId(port)) ? fabric.port_session(PortId(port)) : 0;
  }
  gsmp::AddBranch add(std::uint32_t in, std::uint32_t in_vci, std::uint32_t out,
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
  gsmp::PortManagement manage(std::uint32_t port, gsmp::PortFunction function) const {
    gsmp::PortManagement request;
    request.header.transaction = 1;
    request.port = PortId(port);
    request.port_session = session(port);
    request.function = function;
    return request;
  }
  void cell_in(std::uint32_t port, std::uint32_t vpi, std::uint32_t vci) {
    dataplane::Cell cell;
    cell.header = dataplane::cell_header(vpi, vci);
    fabric.cells().receive(PortId(port), std::span(&cell, 1), now);
  }
  // What leaves a port now, as VPI and VCI.
  std::vector<std::pair<int, int>> cells_out(std::uint32_t port) {
    now += std::chrono::seconds{1};
    std::array<dataplane::Cell, 64> cells;
    const std::size_t count = fabric.cells().transmit(PortId(port), cells, now);
    std::vector<std::pair<int, int>> labels;
    for (std::size_t i = 0; i < count; ++i) labels.emplace_back(cells[i].vpi(), cells[i].vci());
    return labels;
  }

  std::uint32_t next_session = 0x5eed0001;
  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  Fabric fabric;
  SwitchAgent agent;
};

}  // namespace xbind::emulator::test
