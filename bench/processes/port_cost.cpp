#include "bench/processes/port_cost.hpp"

#include <poll.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/steady_now.hpp"
#include "dataplane/links/udp_trunk.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::callgen {
namespace {

using dataplane::SwitchFabric;

constexpr std::uint32_t kLabelIn = 1'000;
constexpr std::uint32_t kLabelOut = 1'001;
constexpr std::uint16_t kVci = 32;
constexpr int kLookMs = 20;  // how often a sleeping port looks whether the measurement is over
constexpr double kPayloadBits = 8.0 * dataplane::kPayloadOctets;

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
double mbit(std::uint64_t cells, double time) {
  return static_cast<double>(cells) * kPayloadBits / 1e6 / time;
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// Both ends of the two lines: the switch's are in the fabric.
struct Lines {
  SwitchFabric fabric{{.ports = 2}, {}};
  int readable = -1;       // the switch's end
  int back_readable = -1;  // the generator's
  std::vector<std::shared_ptr<const net::Descriptor>> held;
  std::unique_ptr<dataplane::UdpEnd> into;  // the generator's
  std::unique_ptr<dataplane::UdpEnd> out_of;
};

Result<void> open(Lines& lines) {
  auto generator = dataplane::UdpTrunk::open({});
  if (!generator) return tl::make_unexpected(generator.error());
  auto of_switch = dataplane::UdpTrunk::open({});
  if (!of_switch) return tl::make_unexpected(of_switch.error());
  for (const auto& [label, port] : {std::pair{kLabelIn, 1U}, {kLabelOut, 2U}}) {
    auto near = of_switch->add({.port = generator->local_port()}, label);
    if (!near) return tl::make_unexpected(near.error());
    auto far = generator->add({.port = of_switch->local_port()}, label);
    if (!far) return tl::make_unexpected(far.error());
    lines.fabric.attach(PortId{port}, std::move(*near));
    (label == kLabelIn ? lines.into : lines.out_of) = std::move(*far);
  }
  lines.held = {of_switch->pollable(), generator->pollable()};
  lines.readable = lines.held[0]->number();
  lines.back_readable = lines.held[1]->number();
  return lines.fabric.table().add_branch({.port = PortId{1}, .vci = kVci},
                                         {.port = PortId{2}, .vci = kVci});
}

// Serves the port until `over`; returns its processor time in seconds.
double serve(Lines& lines, const std::atomic<bool>& over) {
  const double begin = processor_seconds();
  while (!over) {
    if (lines.fabric.pump(steady_now()) > 0) continue;
    pollfd readable{lines.readable, POLLIN, 0};
    poll(&readable, 1, kLookMs);
  }
  return processor_seconds() - begin;
}

// Until cells come back, `time` at most.
void wait(int descriptor, Duration time) {
  constexpr Duration::rep kSecond = 1'000'000'000;
  pollfd readable{descriptor, POLLIN, 0};
  const timespec most{time.count() / kSecond, time.count() % kSecond};
  ppoll(&readable, 1, &most, nullptr);
}

// Sends the bursts when they are due, late ones at once; returns the number of cells.
std::uint64_t send(Lines& lines, std::size_t burst, Duration period, TimePoint begin,
                   Duration time) {
  const std::vector<dataplane::Cell> cells(
      burst, dataplane::Cell{.header = dataplane::cell_header(0, kVci)});
  std::vector<dataplane::Cell> back(SwitchFabric::kBatch);
  std::uint64_t sent = 0;
  for (TimePoint due = begin; due < begin + time; due += period) {
    const TimePoint now = steady_now();
    if (now >= begin + time) break;
    for (TimePoint at = now; at < due; at = steady_now()) {
      wait(lines.back_readable, due - at);
      lines.out_of->receive(back);
    }
    sent += lines.into->send(cells);
    lines.out_of->receive(back);
  }
  return sent;
}

}  // namespace

Result<PortCost> measure_port(std::size_t burst, double rate, Duration time) {
  Lines lines;
  if (auto opened = open(lines); !opened) return tl::make_unexpected(opened.error());
  const Duration period{
      static_cast<Duration::rep>(static_cast<double>(burst) * kPayloadBits * 1e3 / rate)};
  std::atomic<bool> over = false;
  double processor = 0;
  const TimePoint begin = steady_now();
  std::thread port([&] { processor = serve(lines, over); });
  const std::uint64_t sent = send(lines, burst, period, begin, time);
  over = true;
  port.join();
  const double passed = seconds(steady_now() - begin);
  return PortCost{burst, mbit(sent, passed),
                  mbit(lines.fabric.counters(PortId{2}).output_cells, passed),
                  100 * (1 - processor / passed)};
}

}  // namespace xbind::callgen
