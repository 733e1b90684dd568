#include "emulator/switch_metrics.hpp"

#include <string>
#include <string_view>

#include "dataplane/links/frame_line.hpp"
#include "switchagent/agent_metrics.hpp"

namespace xbind::emulator {
namespace {

constexpr MetricRow<std::uint64_t> kProcessRows[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const std::uint64_t& kib) { return kib; }, MetricScope::kProcess},
};

constexpr MetricRow<EmulatedSwitch> kSwitchRows[] = {
    {"buffer_cells", MetricKind::kGauge, "", "Buffer of every port, in cells.",
     [](const EmulatedSwitch& one) -> std::uint64_t {
       return one.fabric().options().buffer_cells;
     }},
    {"policed_tagged", MetricKind::kCounter, "", "Cells that policing tagged.",
     [](const EmulatedSwitch& one) { return one.policed_since_start().tagged; }},
    {"policed_discarded", MetricKind::kCounter, "", "Cells that policing discarded.",
     [](const EmulatedSwitch& one) { return one.policed_since_start().discarded; }},
};

constexpr MetricNames kPortFamilies{{
    {"port_input_cells/<port>", MetricKind::kCounter, "",
     "Cells received at the port, without idle ones."},
    {"port_input_discards/<port>", MetricKind::kCounter, "",
     "Of the received cells: dropped by policing, at an input of the crossbar, or at a line that "
     "is "
     "down."},
    {"port_invalid_label_cells/<port>", MetricKind::kCounter, "",
     "Of the received cells: dropped because no connection has their label."},
    {"port_output_cells/<port>", MetricKind::kCounter, "", "Cells sent at the port."},
    {"port_output_discards/<port>", MetricKind::kCounter, "",
     "Cells dropped by the output queue, or at a line that is down."},
    {"port_queued_cells/<port>", MetricKind::kGauge, "", "Cells that wait in the port's buffer."},
    {"port_queued_most_cells/<port>", MetricKind::kGauge, "",
     "The most cells that have waited there."},
    {"port_propagation_lost_cells/<port>", MetricKind::kCounter, "",
     "Cells lost beyond the bound of a line with --port-delay-us."},
    {"port_crossbar_cells/<port>", MetricKind::kCounter, "",
     "Cells that came from the port for the crossbar; these five of a switch with --crossbar."},
    {"port_crossbar_lost_cells/<port>", MetricKind::kCounter, "",
     "Of these: found the input's queue full, or left it without passing."},
    {"port_crossbar_passed_cells/<port>", MetricKind::kCounter, "",
     "Cells that the crossbar took to their output; of a tree each copy."},
    {"port_crossbar_nacks/<port>", MetricKind::kCounter, "",
     "Times that it refused a cell, which was then offered again."},
    {"port_crossbar_waiting_cells/<port>", MetricKind::kGauge, "",
     "Cells that wait for the crossbar at the port."},
    {"port_controller_waiting_cells/<port>", MetricKind::kGauge, "",
     "Cells that wait at the port's controller, or on its line; of a port with --port-controller."},
    {"port_controller_lost_cells/<port>/<reason>", MetricKind::kCounter, "",
     "Cells lost there, also in port_input_discards; line: more than it carries, buffer: it was "
     "full."},
    {"port_controller_interrupts/<port>", MetricKind::kCounter, "",
     "Times that its processor entered the interrupt routine."},
    {"port_controller_busy_us/<port>", MetricKind::kCounter, "us",
     "Time for which its processor was busy."},
    {"port_input_frames/<port>", MetricKind::kCounter, "",
     "Frames of the port's interface that became cells; of a port with frames:IFACE."},
    {"port_output_frames/<port>", MetricKind::kCounter, "",
     "Frames sent to the port's interface; of the same."},
    {"port_dropped_frames/<port>/<reason>", MetricKind::kCounter, "",
     "Frames dropped at such a port, either way, by reason; no_call: received, and no call takes "
     "it; oam: cells."},
}};
// Outside the function, because clang 14 refuses the look-up of a row inside it.
constexpr std::string_view kInputCells = kPortFamilies["port_input_cells/<port>"];
constexpr std::string_view kInputDiscards = kPortFamilies["port_input_discards/<port>"];
constexpr std::string_view kInvalidLabel = kPortFamilies["port_invalid_label_cells/<port>"];
constexpr std::string_view kOutputCells = kPortFamilies["port_output_cells/<port>"];
constexpr std::string_view kOutputDiscards = kPortFamilies["port_output_discards/<port>"];
constexpr std::string_view kQueuedCells = kPortFamilies["port_queued_cells/<port>"];
constexpr std::string_view kQueuedMostCells = kPortFamilies["port_queued_most_cells/<port>"];
constexpr std::string_view kPropagationLost = kPortFamilies["port_propagation_lost_cells/<port>"];
constexpr std::string_view kCrossbarCells = kPortFamilies["port_crossbar_cells/<port>"];
constexpr std::string_view kCrossbarLost = kPortFamilies["port_crossbar_lost_cells/<port>"];
constexpr std::string_view kCrossbarPassed = kPortFamilies["port_crossbar_passed_cells/<port>"];
constexpr std::string_view kCrossbarNacks = kPortFamilies["port_crossbar_nacks/<port>"];
constexpr std::string_view kCrossbarWaiting = kPortFamilies["port_crossbar_waiting_cells/<port>"];
constexpr std::string_view kControllerWaiting =
    kPortFamilies["port_controller_waiting_cells/<port>"];
constexpr std::string_view kControllerLost =
    kPortFamilies["port_controller_lost_cells/<port>/<reason>"];
constexpr std::string_view kControllerInterrupts =
    kPortFamilies["port_controller_interrupts/<port>"];
constexpr std::string_view kControllerBusy = kPortFamilies["port_controller_busy_us/<port>"];
constexpr std::string_view kInputFrames = kPortFamilies["port_input_frames/<port>"];
constexpr std::string_view kOutputFrames = kPortFamilies["port_output_frames/<port>"];
constexpr std::string_view kDroppedFrames = kPortFamilies["port_dropped_frames/<port>/<reason>"];

void append_controller(const dataplane::PortController& controller, const std::string& port,
                       Metrics& metrics) {
  const dataplane::PortControllerCounters& counters = controller.counters();
  metrics.emplace_back(filled(kControllerWaiting, {port}), controller.waiting());
  metrics.emplace_back(filled(kControllerLost, {port, "line"}), counters.lost_line);
  metrics.emplace_back(filled(kControllerLost, {port, "buffer"}), counters.lost_buffer);
  metrics.emplace_back(filled(kControllerInterrupts, {port}), counters.interrupts);
  metrics.emplace_back(
      filled(kControllerBusy, {port}),
      static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(counters.busy).count()));
}

void append_frames(const dataplane::FrameCounters& frames, const std::string& port,
                   Metrics& metrics) {
  metrics.emplace_back(filled(kInputFrames, {port}), frames.in);
  metrics.emplace_back(filled(kOutputFrames, {port}), frames.out);
  for (std::size_t index = 0; index < dataplane::kFrameDrops; ++index) {
    const auto reason = to_string(static_cast<dataplane::FrameDrop>(index));
    metrics.emplace_back(filled(kDroppedFrames, {port, std::string(reason)}),
                         frames.dropped[index]);
  }
}

void append_crossed(const EmulatedSwitch& emulated, PortId port, Metrics& metrics) {
  const dataplane::Crossbar* const crossbar = emulated.fabric().cells().crossbar();
  if (crossbar == nullptr) return;
  const std::string word = std::to_string(port.value());
  const dataplane::CrossbarCounters crossed = emulated.crossed_since_start(port);
  metrics.emplace_back(filled(kCrossbarCells, {word}), crossed.cells);
  metrics.emplace_back(filled(kCrossbarLost, {word}), crossed.lost);
  metrics.emplace_back(filled(kCrossbarPassed, {word}), crossed.passed);
  metrics.emplace_back(filled(kCrossbarNacks, {word}), crossed.nacks);
  metrics.emplace_back(filled(kCrossbarWaiting, {word}), crossbar->waiting(port));
}

}  // namespace

Metrics metrics_of(const EmulatedSwitch& emulated) {
  Metrics metrics;
  switchagent::append_metrics(switchagent::AgentReading(emulated.agent()), emulated.fabric(),
                              metrics);
  append(kSwitchRows, emulated, metrics);
  for (std::uint32_t number = 1; number <= emulated.fabric().ports(); ++number) {
    const PortId port(number);
    const std::string word = std::to_string(number);
    const dataplane::PortCounters cells = emulated.cells_since_start(port);
    metrics.emplace_back(filled(kInputCells, {word}), cells.input_cells);
    metrics.emplace_back(filled(kInputDiscards, {word}), cells.input_discards);
    metrics.emplace_back(filled(kInvalidLabel, {word}), cells.invalid_label);
    metrics.emplace_back(filled(kOutputCells, {word}), cells.output_cells);
    metrics.emplace_back(filled(kOutputDiscards, {word}), cells.output_discards);
    metrics.emplace_back(filled(kQueuedCells, {word}), emulated.fabric().cells().queued(port));
    metrics.emplace_back(filled(kQueuedMostCells, {word}),
                         emulated.fabric().cells().queued_most(port));
    metrics.emplace_back(filled(kPropagationLost, {word}), emulated.cells_lost_on_the_way(port));
    append_crossed(emulated, port, metrics);
    if (const auto* controller = emulated.fabric().cells().controller(port)) {
      append_controller(*controller, word, metrics);
    }
    if (const auto* frames = emulated.frames_since_start(port)) {
      append_frames(*frames, word, metrics);
    }
  }
  return metrics;
}

void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics) {
  append(kProcessRows, rss_kib, metrics);
}

std::vector<MetricTable> switch_metrics() {
  std::vector<MetricTable> tables{metric_table("emulator", kProcessRows),
                                  switchagent::agent_metrics(),
                                  metric_table("emulator", kSwitchRows, kPortFamilies)};
  return tables;
}

}  // namespace xbind::emulator
