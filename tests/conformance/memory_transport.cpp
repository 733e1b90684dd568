#include "tests/conformance/memory_transport.hpp"

#include <utility>

namespace xbind::conformance {
namespace {

class MemoryTransport : public Transport {
 public:
  explicit MemoryTransport(std::shared_ptr<SwitchInMemory> to)
      : switch_(std::move(to)), id_(switch_->agent().connected(switch_->now).value()) {}
  ~MemoryTransport() override {
    switch_->agent().closed(id_, switch_->now);
    switch_->settle();
  }

  void send(std::span<const std::byte> octets) override {
    switch_->agent().receive(id_, octets, switch_->now);
    switch_->settle();
  }
  bool receive(wire::Buffer& into) override {
    wire::Buffer came;
    switch_->agent().take_output(id_, came);
    into.insert(into.end(), came.begin(), came.end());
    return !came.empty();
  }
  TimePoint now() const override { return switch_->now; }
  void advance_one_period() override {
    switch_->now += std::chrono::seconds(1);
    switch_->tick();
    switch_->settle();
  }
  std::unique_ptr<Transport> another() override { return connect_to(switch_); }
  bool has_lines() const override { return true; }
  bool set_line(PortId port, bool up) override {
    switch_->set_line(port, up);
    switch_->settle();
    return true;
  }

 private:
  std::shared_ptr<SwitchInMemory> switch_;
  switchagent::ControllerId id_;
};

}  // namespace

std::unique_ptr<Transport> connect_to(std::shared_ptr<SwitchInMemory> to) {
  return std::make_unique<MemoryTransport>(std::move(to));
}

}  // namespace xbind::conformance
