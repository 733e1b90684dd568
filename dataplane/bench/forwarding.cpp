#include "dataplane/bench/forwarding.hpp"

#include <time.h>

#include <array>
#include <memory>
#include <random>

#include "core/bench.hpp"
#include "dataplane/class_queueing.hpp"

namespace xbind::dataplane::bench {
namespace {

constexpr std::size_t kCellsAtHand = 1U << 16;  // reused again and again

// Prevents the compiler from removing results that are never read.
void used(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace

ForwardingOptions forwarding_options() {
  return {.ports = kPorts, .labels = {atm_range(0, 0, 32, 32 + kConnectionsPerPort - 1)}};
}

Result<void> fill(ForwardingTable& table, bool discard_frames) {
  for (std::uint32_t port = 1; port <= kPorts; ++port) {
    for (std::uint32_t index = 0; index < kConnectionsPerPort; ++index) {
      const auto vci = static_cast<std::uint16_t>(32 + index);
      const auto out_vci = static_cast<std::uint16_t>(32 + (index * 7 + port) % 4096);
      Branch branch{.port = PortId{(port + index) % kPorts + 1}, .vpi = 1, .vci = out_vci};
      branch.frames = FrameDiscard(discard_frames);
      if (auto added = table.add_branch(channel(PortId{port}, 0, vci), branch); !added) {
        return added;
      }
    }
  }
  return {};
}

Traffic make_traffic() {
  std::mt19937_64 bits(1);
  Traffic traffic;
  traffic.cells.resize(kCellsAtHand);
  for (Cell& cell : traffic.cells) {
    cell.header = cell_header(0, 32 + bits() % kConnectionsPerPort);
    for (std::byte& octet : cell.payload) octet = static_cast<std::byte>(bits());
  }
  return traffic;
}

std::size_t forward(SwitchFabric& fabric, const Traffic& traffic, std::size_t count) {
  std::array<Cell, SwitchFabric::kBatch> out;
  std::size_t sent = 0;
  for (std::size_t batch = 0; batch * SwitchFabric::kBatch < count; ++batch) {
    const std::size_t at = batch % traffic.batches();
    const std::span<const Cell> cells(traffic.cells.data() + at * SwitchFabric::kBatch,
                                      SwitchFabric::kBatch);
    fabric.receive(traffic.port_of(at), cells, TimePoint{});
    for (std::uint32_t port = 1; port <= kPorts; ++port) {
      sent += fabric.transmit(PortId{port}, out, TimePoint{});
      used(out.data());
    }
  }
  return sent;
}

Result<std::vector<QueueingCost>> queueing_costs(std::size_t cells, std::size_t rounds) {
  struct Tried {
    const char* name;
    bool discard_frames;
    bool classes;
    std::unique_ptr<SwitchFabric> fabric{};
    std::vector<double> ns{};
  };
  std::array<Tried, 3> all{{{"fifo", false, false},
                            {"fifo, whole frames discarded", true, false},
                            {"class", false, true}}};
  for (Tried& one : all) {
    one.fabric = std::make_unique<SwitchFabric>(forwarding_options(), FifoOptions{});
    if (auto filled = fill(one.fabric->table(), one.discard_frames); !filled) {
      return tl::make_unexpected(filled.error());
    }
    for (std::uint32_t port = 1; one.classes && port <= kPorts; ++port) {
      one.fabric->set_queueing(PortId{port},
                               std::make_unique<ClassQueueing>(ClassQueueingOptions{}));
    }
  }
  const Traffic traffic = make_traffic();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Tried& one : all) {
      const double begin = processor_ns();
      const std::size_t sent = forward(*one.fabric, traffic, cells);
      one.ns.push_back((processor_ns() - begin) / static_cast<double>(sent));
    }
  }
  std::vector<QueueingCost> costs;
  for (const Tried& one : all) costs.push_back({one.name, median(one.ns)});
  return costs;
}

}  // namespace xbind::dataplane::bench
