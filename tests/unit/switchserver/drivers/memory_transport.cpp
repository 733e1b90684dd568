#include "tests/unit/switchserver/drivers/memory_transport.hpp"

#include <utility>

namespace xbind {

class MemoryTransport : public net::Transport {
 public:
  explicit MemoryTransport(std::shared_ptr<MemoryWire::State> state) : state_(std::move(state)) {}
  ~MemoryTransport() override { MemoryTransport::stop(); }

  void start(net::TransportUpcalls upcalls) override {
    state_->upcalls = std::move(upcalls);
    state_->running = true;
  }
  void stop() override {
    if (!std::exchange(state_->running, false)) return;
    if (std::exchange(state_->connected, false)) state_->upcalls.on_closed("stopped");
    state_->upcalls = {};
  }
  Result<void> send(std::span<const std::byte> octets) override {
    if (!state_->connected) return fail(ErrorCode::kUnreachable, "not connected to {}", peer());
    state_->sent.insert(state_->sent.end(), octets.begin(), octets.end());
    state_->counters.octets_out += octets.size();
    ++state_->writes;
    return {};
  }
  void drop(std::string reason) override { state_->drop = std::move(reason); }
  std::string peer() const override { return "memory:1"; }
  net::TransportCounters counters() const override { return state_->counters; }

 private:
  std::shared_ptr<MemoryWire::State> state_;
};

MemoryWire::MemoryWire() : state_(std::make_shared<State>()) {}

std::unique_ptr<net::Transport> MemoryWire::transport() {
  return std::make_unique<MemoryTransport>(state_);
}

void MemoryWire::connect() {
  if (!state_->running) return;
  state_->connected = true;
  state_->drop.reset();
  state_->sent.clear();
  ++state_->counters.connections;
  state_->upcalls.on_connected();
}

void MemoryWire::cut(const std::string& reason) {
  if (std::exchange(state_->connected, false)) state_->upcalls.on_closed(reason);
}

void MemoryWire::refuse(const std::string& reason) {
  if (!state_->running) return;
  ++state_->counters.failed_attempts;
  state_->upcalls.on_failed(reason);
}

void MemoryWire::carry_to_driver(std::span<const std::byte> octets) {
  if (!state_->connected) return;
  state_->counters.octets_in += octets.size();
  state_->upcalls.on_octets(octets);
}

wire::Buffer MemoryWire::take_sent() { return std::exchange(state_->sent, {}); }

std::optional<std::string> MemoryWire::take_drop() { return std::exchange(state_->drop, {}); }

}  // namespace xbind
