// dataplane_bench: how many cells a second one core forwards. Also measures a memcpy of 53 octets
// in the same run, to show the machine's own speed.
//
//   dataplane_bench [CELLS]     per measurement, a tenth of it over UDP; default 20 million
//
// Cells over UDP: through a trunk, the loopback interface and another trunk, both ends on this
// core, 24 cells a datagram. Most of the time is the operating system's.
//
// Forwarding: cells of 4096 connections from 4 ports to 4 ports, with labels in an order that no
// cache can predict; includes look-up, header rewriting, enqueueing, dequeueing and all counters.
// Each figure is the median of five alternating rounds; the ratio is that of the medians.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "core/bench.hpp"
#include "core/steady_now.hpp"
#include "dataplane/aal5.hpp"
#include "dataplane/links/udp_trunk.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kPorts = 4;
constexpr std::uint32_t kConnectionsPerPort = 1024;
constexpr std::size_t kCellsAtHand = 1U << 16;  // reused again and again
constexpr std::size_t kRounds = 5;

using Rounds = std::array<double, kRounds>;

template <class Work>
double per_second(std::size_t count, const Work& work) {
  const TimePoint begin = steady_now();
  work();
  return static_cast<double>(count) / std::chrono::duration<double>(steady_now() - begin).count();
}

// Prevents the compiler from removing results that are never read.
void used(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

struct Traffic {
  std::vector<Cell> cells;  // in batches of one port each
  std::size_t batches() const { return cells.size() / SwitchFabric::kBatch; }
  PortId port_of(std::size_t batch) const {
    return PortId{static_cast<std::uint32_t>(batch % kPorts + 1)};
  }
};

// Adds a connection for each (port, 0, 32 + n), to another port and label.
bool fill(ForwardingTable& table) {
  for (std::uint32_t port = 1; port <= kPorts; ++port) {
    for (std::uint32_t index = 0; index < kConnectionsPerPort; ++index) {
      const PortId output{(port + index) % kPorts + 1};
      const auto vci = static_cast<std::uint16_t>(32 + index);
      const auto out_vci = static_cast<std::uint16_t>(32 + (index * 7 + port) % 4096);
      const auto added = table.add_branch(channel(PortId{port}, 0, vci), {output, 1, out_vci});
      if (!added) {
        fmt::print(stderr, "{}\n", added.error().text);
        return false;
      }
    }
  }
  return true;
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

double forward(SwitchFabric& fabric, const Traffic& traffic, std::size_t count, bool& lost) {
  std::array<Cell, SwitchFabric::kBatch> out;
  std::size_t sent = 0;
  const double rate = per_second(count, [&] {
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
  });
  lost |= sent < count;
  return rate;
}

double copy(const std::vector<std::byte>& from, std::vector<std::byte>& to, std::size_t count) {
  const std::size_t cells = from.size() / kCellOctets;
  return per_second(count, [&] {
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t at = index % cells * kCellOctets;
      std::memcpy(to.data() + at, from.data() + at, kCellOctets);
      used(to.data() + at);
    }
  });
}

double reassemble(std::size_t octets, std::size_t count, bool& lost) {
  std::vector<Cell> cells;
  const std::vector<std::byte> frame(octets, std::byte{0x5a});
  if (!aal5_segment(frame, {.vpi = 0, .vci = 32}, cells)) return 0;
  Aal5Reassembly reassembly;
  std::size_t frames = 0;
  const std::size_t wanted = count / cells.size();
  const double rate = per_second(wanted * cells.size(), [&] {
    for (std::size_t round = 0; round < wanted; ++round) {
      cells.clear();
      if (!aal5_segment(frame, {.vpi = 0, .vci = 32}, cells)) return;
      for (const Cell& cell : cells) frames += reassembly.push(cell) == Aal5Outcome::kFrame ? 1 : 0;
    }
  });
  lost |= frames != wanted;
  return rate;
}

// Returns cells a second from one trunk to another, or the error.
Result<double> over_udp(const Traffic& traffic, std::size_t count, bool& lost) {
  constexpr std::uint32_t kLabel = 1000;
  auto left = UdpTrunk::open({});
  if (!left) return tl::make_unexpected(left.error());
  auto right = UdpTrunk::open({});
  if (!right) return tl::make_unexpected(right.error());
  const auto here = left->add({.port = right->local_port()}, kLabel);
  if (!here) return tl::make_unexpected(here.error());
  const auto there = right->add({.port = left->local_port()}, kLabel);
  if (!there) return tl::make_unexpected(there.error());

  // As many cells at a time as the smallest socket buffer of common systems holds.
  constexpr std::size_t kAtOnce = 192;
  std::array<Cell, kAtOnce> out;
  std::size_t came = 0;
  const double rate = per_second(count, [&] {
    for (std::size_t sent = 0; sent < count; sent += kAtOnce) {
      const std::size_t at = sent % (traffic.cells.size() - kAtOnce);
      (*here)->send(std::span<const Cell>(traffic.cells).subspan(at, kAtOnce));
      for (std::size_t part = 1; part > 0;) came += part = (*there)->receive(out);
    }
  });
  lost |= came < count;
  return rate;
}

int run(std::size_t count) {
  SwitchFabric fabric(
      {.ports = kPorts, .labels = {atm_range(0, 0, 32, 32 + kConnectionsPerPort - 1)}}, {});
  if (!fill(fabric.table())) return 1;
  const Traffic traffic = make_traffic();
  const std::vector<std::byte> from(kCellsAtHand * kCellOctets, std::byte{1});
  std::vector<std::byte> to(from.size());

  bool lost = false;
  Rounds forwarding{}, copying{}, adaptation{}, lines{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    copying[round] = copy(from, to, count);
    forwarding[round] = forward(fabric, traffic, count, lost);
    adaptation[round] = reassemble(9180, count, lost);
    const auto line = over_udp(traffic, count / 10, lost);
    if (!line) {
      fmt::print(stderr, "{}\n", line.error().text);
      return 1;
    }
    lines[round] = *line;
  }
  const double cells = median(forwarding), copies = median(copying), sar = median(adaptation);
  fmt::print("look-up, rewrite, queue, out: {:7.2f} M cells/s  {:6.1f} ns/cell\n", cells / 1e6,
             1e9 / cells);
  fmt::print("memcpy of 53 octets:          {:7.2f} M cells/s  {:6.1f} ns/cell\n", copies / 1e6,
             1e9 / copies);
  fmt::print("forwarding / memcpy:          {:7.3f}\n", cells / copies);
  fmt::print("AAL5 cut and put together:    {:7.2f} M cells/s  {:6.1f} ns/cell, frames of 9180\n",
             sar / 1e6, 1e9 / sar);
  fmt::print("trunk, loopback, trunk:       {:7.2f} M cells/s  {:6.1f} ns/cell, both ends here\n",
             median(lines) / 1e6, 1e9 / median(lines));
  if (lost) fmt::print(stderr, "cells were lost: the figures are invalid\n");
  return lost ? 1 : 0;
}

}  // namespace
}  // namespace xbind::dataplane

int main(int argc, char** argv) {
  const auto count =
      xbind::bench_argument<std::size_t>(argc, argv, "dataplane_bench [CELLS]", 20'000'000);
  return count ? xbind::dataplane::run(*count) : 2;
}
