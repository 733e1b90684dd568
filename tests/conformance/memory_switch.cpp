#include "tests/conformance/memory_switch.hpp"

#include "emulator/fabric_table.hpp"
#include "emulator/switch_agent.hpp"

namespace xbind::conformance {
namespace {

// One switch for all its connections. Its clock stands still unless it is told otherwise.
struct Switch {
  std::uint32_t drawn = 0x5eed0000;
  TimePoint now{};
  emulator::Fabric fabric{options(), [this] { return ++drawn; }};
  emulator::FabricTable table{fabric};
  emulator::SwitchAgent agent{table, agent_options(), [this] { return ++drawn; }};

  static emulator::FabricOptions options() {
    emulator::FabricOptions options;
    options.ports = 4;
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
  void let_a_period_pass() override {
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

std::unique_ptr<Transport> connect_in_memory() {
  return std::make_unique<MemoryTransport>(std::make_shared<Switch>());
}

}  // namespace xbind::conformance
