#include "tests/conformance/memory_switch.hpp"

#include <gtest/gtest.h>

#include "emulator/fabric_table.hpp"
#include "emulator/switch_agent.hpp"

namespace xbind::conformance {
namespace {

// One switch for all its connections. Its clock advances only in advance_one_period().
struct Switch {
  std::uint32_t drawn = 0x5eed0000;
  TimePoint now{};
  emulator::Fabric fabric;
  emulator::FabricTable table{fabric};
  emulator::SwitchAgent agent{table, agent_options(), [this] { return ++drawn; }};

  explicit Switch(const MemorySwitch& about) : fabric(options(about), [this] { return ++drawn; }) {
    if (about.shared) add_strangers(about.labels);
  }

  // Connects each port to the next, with the first and the last label of each.
  void add_strangers(LabelKind kind) {
    for (std::uint32_t port = 1; port <= fabric.ports(); ++port) {
      const LabelRanges& labels = fabric.labels(PortId(port));
      gsmp::AddBranch add;
      add.port_session = fabric.port_session(PortId(port));
      add.input_port = PortId(port);
      add.output_port = PortId(port % fabric.ports() + 1);
      add.input_label = gsmp::label_field({kind, labels.front().first});
      add.output_label = gsmp::label_field({kind, labels.front().last});
      EXPECT_EQ(fabric.add_branch(add), gsmp::FailureCode::kNone);
    }
  }
  static emulator::FabricOptions options(const MemorySwitch& about) {
    emulator::FabricOptions options;
    options.ports = 4;
    if (about.labels == LabelKind::kAtm) return options;
    for (std::uint32_t port = 1; port <= options.ports; ++port)
      options.port_labels[PortId(port)] = {mpls_range(1000, 1011), mpls_range(0xffffc, 0xfffff)};
    return options;
  }
  static emulator::AgentOptions agent_options() {
    emulator::AgentOptions options;
    options.name = 0x0200000b0001;
    return options;
  }
};

class MemoryTransport : public Transport {
 public:
  explicit MemoryTransport(std::shared_ptr<Switch> to)
      : switch_(std::move(to)), id_(switch_->agent.connected(switch_->now).value()) {}
  ~MemoryTransport() override { switch_->agent.closed(id_, switch_->now); }

  void send(std::span<const std::byte> octets) override {
    switch_->agent.receive(id_, octets, switch_->now);
  }
  bool receive(wire::Buffer& into) override {
    wire::Buffer came;
    switch_->agent.take_output(id_, came);
    into.insert(into.end(), came.begin(), came.end());
    return !came.empty();
  }
  TimePoint now() const override { return switch_->now; }
  void advance_one_period() override {
    switch_->now += std::chrono::seconds(1);
    switch_->agent.tick(switch_->now);
  }
  std::unique_ptr<Transport> another() override {
    return std::make_unique<MemoryTransport>(switch_);
  }
  bool set_line(PortId port, bool up) override {
    switch_->table.set_line(port, up);
    return true;
  }

 private:
  std::shared_ptr<Switch> switch_;
  emulator::ControllerId id_;
};

}  // namespace

std::unique_ptr<Transport> connect_in_memory(const MemorySwitch& about) {
  return std::make_unique<MemoryTransport>(std::make_shared<Switch>(about));
}

}  // namespace xbind::conformance
