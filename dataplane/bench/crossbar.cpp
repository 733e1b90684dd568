// crossbar_bench: how much a crossbar carries (row F13 of docs/fairisle.md).
//
//   crossbar_bench [SLOTS]     of each measurement; default 200 000
//
// Cells come at every input of a SwitchFabric with a crossbar, in each slot with the probability of
// the offered load, for any output alike, and of one service. Virtual time, seed 1: the same
// numbers in every run, whatever the machine. `carried` is the share of the slots of an output in
// which it takes a cell, `nacks` the share of the offered cells that are refused, `wait` the mean
// time of a cell at its input, `lost` the share of the cells that find 2048 others there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>

#include "core/bench.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint32_t kSeed = 1;
constexpr std::array kLoads{0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0};

struct Carried {
  CrossbarCounters counters;  // of all inputs
  double waiting = 0;         // cells, mean of the slots
};

Carried carry(CrossbarSize size, double load, std::size_t slots) {
  const std::uint32_t ports = ports_of(size);
  SwitchFabric fabric({.ports = ports}, {});
  fabric.set_crossbar(
      size, [bits = std::mt19937(kSeed)]() mutable { return static_cast<std::uint32_t>(bits()); });
  for (std::uint32_t in = 1; in <= ports; ++in) {
    for (std::uint32_t out = 1; out <= ports; ++out) {
      const VirtualLink input = channel(PortId{in}, 0, static_cast<std::uint16_t>(31 + out));
      const Branch branch{.port = PortId{out}, .vci = static_cast<std::uint16_t>(31 + in)};
      if (const auto added = fabric.table().add_branch(input, branch); !added) {
        fmt::print(stderr, "{}\n", added.error().text);
        return {};
      }
    }
  }
  std::mt19937 bits(kSeed + 1);
  std::array<Cell, 4> out;
  std::size_t waited = 0;
  TimePoint now{};
  for (std::size_t slot = 0; slot < slots; ++slot, now += Crossbar::kSlot) {
    for (std::uint32_t in = 1; in <= ports; ++in) {
      if (std::ldexp(static_cast<double>(bits()), -32) >= load) continue;
      const Cell cell{.header = cell_header(0, 32 + static_cast<std::uint32_t>(bits()) % ports),
                      .payload = {}};
      fabric.receive(PortId{in}, std::span(&cell, 1), now);
    }
    fabric.pump(now);
    for (std::uint32_t port = 1; port <= ports; ++port) {
      fabric.transmit(PortId{port}, out, now);
      waited += fabric.crossbar()->waiting(PortId{port});
    }
  }
  Carried sum;
  for (std::uint32_t port = 1; port <= ports; ++port) {
    const CrossbarCounters& one = fabric.crossbar()->counters(PortId{port});
    sum.counters.cells += one.cells;
    sum.counters.lost += one.lost;
    sum.counters.passed += one.passed;
    sum.counters.nacks += one.nacks;
  }
  sum.waiting = static_cast<double>(waited) / static_cast<double>(slots);
  return sum;
}

void print(CrossbarSize size, std::size_t slots) {
  fmt::print("{}, {} slots of {} ns for each load\n", to_string(size), slots,
             Crossbar::kSlot.count());
  fmt::print("{:>8} {:>8} {:>7} {:>9} {:>7}\n", "load", "carried", "nacks", "wait us", "lost");
  const double capacity = static_cast<double>(slots) * ports_of(size);
  for (const double load : kLoads) {
    const Carried sum = carry(size, load, slots);
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
    };
    const CrossbarCounters& all = sum.counters;
    // Little's law: the mean number of waiting cells is their rate times their mean wait.
    const double wait_slots = sum.waiting * static_cast<double>(slots) /
                              static_cast<double>(std::max<std::uint64_t>(all.passed, 1));
    fmt::print("{:8.2f} {:8.4f} {:6.1f}% {:9.1f} {:6.2f}%\n", load,
               static_cast<double>(all.passed) / capacity,
               100 * share(all.nacks, all.nacks + all.passed),
               wait_slots * static_cast<double>(Crossbar::kSlot.count()) / 1e3,
               100 * share(all.lost, all.cells));
  }
}

}  // namespace
}  // namespace xbind::dataplane

int main(int argc, char** argv) {
  const auto slots =
      xbind::bench_argument<std::size_t>(argc, argv, "crossbar_bench [SLOTS]", 200'000);
  if (!slots) return 2;
  xbind::dataplane::print(xbind::dataplane::CrossbarSize::k4x4, *slots);
  xbind::dataplane::print(xbind::dataplane::CrossbarSize::k16x16, *slots);
  return 0;
}
