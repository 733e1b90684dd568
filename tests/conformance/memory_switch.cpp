#include "tests/conformance/memory_switch.hpp"

#include <gtest/gtest.h>

#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric_table.hpp"
#include "tests/conformance/memory_transport.hpp"

namespace xbind::conformance {
namespace {

class Switch : public SwitchInMemory {
 public:
  explicit Switch(const MemorySwitch& about)
      : fabric_(options(about), [this] { return ++drawn_; }) {
    if (about.shared) add_strangers(about.labels);
  }

  switchagent::SwitchAgent& agent() override { return agent_; }
  void set_line(PortId port, bool up) override { table_.set_line(port, up); }

 private:
  // Connects each port to the next, with the first and the last label of each.
  void add_strangers(LabelKind kind) {
    for (std::uint32_t port = 1; port <= fabric_.ports(); ++port) {
      const LabelRanges& labels = fabric_.labels(PortId(port));
      gsmp::AddBranch add;
      add.port_session = fabric_.port_session(PortId(port));
      add.input_port = PortId(port);
      add.output_port = PortId(port % fabric_.ports() + 1);
      add.input_label = gsmp::label_field({kind, labels.front().first});
      add.output_label = gsmp::label_field({kind, labels.front().last});
      EXPECT_EQ(fabric_.add_branch(add), gsmp::FailureCode::kNone);
    }
  }
  static switchagent::FabricOptions options(const MemorySwitch& about) {
    switchagent::FabricOptions options;
    options.ports = 4;
    if (about.labels == LabelKind::kAtm) return options;
    for (std::uint32_t port = 1; port <= options.ports; ++port)
      options.port_labels[PortId(port)] = {mpls_range(1000, 1011), mpls_range(0xffffc, 0xfffff)};
    return options;
  }
  static switchagent::AgentOptions agent_options() {
    switchagent::AgentOptions options;
    options.name = 0x0200000b0001;
    return options;
  }

  std::uint32_t drawn_ = 0x5eed0000;
  switchagent::Fabric fabric_;
  switchagent::FabricTable table_{fabric_};
  switchagent::SwitchAgent agent_{table_, agent_options(), [this] { return ++drawn_; }};
};

}  // namespace

std::unique_ptr<Transport> connect_in_memory(const MemorySwitch& about) {
  return connect_to(std::make_shared<Switch>(about));
}

}  // namespace xbind::conformance
