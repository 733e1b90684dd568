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
// Each figure is the median of five alternating rounds; the ratio is that of the medians. The
// queueing options are compared by processor time, which other work on the machine disturbs least.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "core/bench.hpp"
#include "core/steady_now.hpp"
#include "dataplane/aal5.hpp"
#include "dataplane/bench/forwarding.hpp"
#include "dataplane/links/udp_trunk.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kCellsAtHand = 1U << 16;  // of the memcpy, reused again and again
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

double forwarding_rate(SwitchFabric& fabric, const bench::Traffic& traffic, std::size_t count,
                       bool& lost) {
  std::size_t sent = 0;
  const double rate = per_second(count, [&] { sent = bench::forward(fabric, traffic, count); });
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
Result<double> over_udp(const bench::Traffic& traffic, std::size_t count, bool& lost) {
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
  SwitchFabric fabric(bench::forwarding_options(), {});
  if (const auto filled = bench::fill(fabric.table()); !filled) {
    fmt::print(stderr, "{}\n", filled.error().text);
    return 1;
  }
  const bench::Traffic traffic = bench::make_traffic();
  const std::vector<std::byte> from(kCellsAtHand * kCellOctets, std::byte{1});
  std::vector<std::byte> to(from.size());

  bool lost = false;
  Rounds forwarding{}, copying{}, adaptation{}, lines{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    copying[round] = copy(from, to, count);
    forwarding[round] = forwarding_rate(fabric, traffic, count, lost);
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
  const auto options = bench::queueing_costs(count, kRounds);
  if (!options) {
    fmt::print(stderr, "{}\n", options.error().text);
    return 1;
  }
  for (const bench::QueueingCost& one : *options) {
    fmt::print("--queueing {:30} {:6.1f} ns/cell of processor time, {:4.2f} of fifo\n", one.option,
               one.ns_a_cell, one.ns_a_cell / options->front().ns_a_cell);
  }
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
