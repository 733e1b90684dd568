// An agent and controllers that the test emulates by hand, in either version.
#pragma once

#include <gtest/gtest.h>

#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"
#include "tests/unit/gsmp/hex.hpp"

namespace xbind::switchagent::test {

gsmp::LabelField label(std::uint32_t vpi, std::uint32_t vci, std::uint8_t flags = 0);

// The handshake of a controller on connection `at`; its adjacency begins anew as `instance`.
void establish(SwitchAgent& agent, ControllerId at, const gsmp::AdjacencyOptions& options,
               std::uint32_t instance, TimePoint now);

class AgentFixture : public ::testing::Test {
 protected:
  static FabricOptions fabric_options();
  static AgentOptions agent_options();
  explicit AgentFixture(FabricOptions with = fabric_options(),
                        AgentOptions and_with = agent_options());
  ~AgentFixture() override;

  ControllerId connect(std::uint8_t version = 3);
  std::vector<gsmp::Message> take(ControllerId id);
  template <class M>
  std::vector<gsmp::Message> ask(ControllerId id, const M& request) {
    return ask_frame(id, gsmp::test::framed(request));
  }
  // The code of the only answer; kNone is a success.
  template <class M>
  gsmp::FailureCode code(ControllerId id, const M& request) {
    return code_of(ask(id, request));
  }
  template <class A, class M>
  A answer(ControllerId id, const M& request) {
    const auto answers = ask(id, request);
    EXPECT_EQ(answers.size(), 1U);
    const A* one = answers.empty() ? nullptr : std::get_if<A>(&answers[0]);
    EXPECT_NE(one, nullptr);
    return one == nullptr ? A{} : *one;
  }
  // 0, which no port has, if the port does not exist.
  std::uint32_t session(std::uint32_t port) const;
  gsmp::AddBranch add(std::uint32_t in, std::uint32_t in_vci, std::uint32_t out,
                      std::uint32_t out_vci) const;
  gsmp::PortManagement manage(std::uint32_t port, gsmp::PortFunction function) const;
  void cell_in(std::uint32_t port, std::uint32_t vpi, std::uint32_t vci);
  // The cells that leave a port now, as VPI and VCI.
  std::vector<std::pair<int, int>> cells_out(std::uint32_t port);

  std::uint32_t next_session = 0x5eed0001;
  TimePoint now = TimePoint{} + std::chrono::seconds{1000};
  Fabric fabric;
  FabricTable table{fabric};
  SwitchAgent agent;

 private:
  std::vector<gsmp::Message> ask_frame(ControllerId id, const wire::Buffer& request);
  static gsmp::FailureCode code_of(const std::vector<gsmp::Message>& answers);
};

}  // namespace xbind::switchagent::test
