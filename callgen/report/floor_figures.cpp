#include "callgen/report/floor_figures.hpp"

#include <fmt/format.h>

#include <iterator>

#include "callgen/report/report.hpp"

namespace xbind::callgen {
namespace {

double figure(const FloorFigures& figures, const std::string& name) {
  const auto found = figures.find(name);
  return found == figures.end() ? 0 : found->second;
}

// The aggregation mode in words; empty if the figures do not contain it.
std::string aggregation_of(const FloorFigures& figures) {
  if (const auto fixed = figures.find("threshold"); fixed != figures.end())
    return fmt::format(", aggregation threshold {:.0f}", fixed->second);
  if (const auto batches = figures.find("batches_in_flight"); batches != figures.end())
    return fmt::format(", aggregation adaptive with {:.0f} batches in flight", batches->second);
  return {};
}

// Adds a line of the figures that exist: "  LABEL  name value, name value".
void line_of(std::string& text, const FloorFigures& figures, std::string_view label,
             std::initializer_list<std::pair<const char*, const char*>> parts) {
  std::string shown;
  for (const auto& [name, form] : parts) {
    const auto found = figures.find(name);
    if (found == figures.end()) continue;
    if (!shown.empty()) shown += ", ";
    shown += fmt::format(fmt::runtime(form), found->second);
  }
  if (!shown.empty()) fmt::format_to(std::back_inserter(text), "\n  {:<18} {}", label, shown);
}

}  // namespace

FloorFigures shares_of_floor(const FloorFigures& before, const FloorFigures& after,
                             const RunReport& report) {
  FloorFigures out;
  for (const auto& [name, value] : before) {
    if (const auto again = after.find(name); again != after.end()) {
      out[name] = (value + again->second) / 2;
    }
  }
  const auto enter = [&out](const char* name, double ours, double floor) {
    if (floor > 0) out[name] = ours / floor;
  };
  // Stability of the machine: 1 if the two floors are equal.
  enter("after_over_before_setup_p50", figure(after, "setup_p50_us"),
        figure(before, "setup_p50_us"));
  enter("after_over_before_ceiling", figure(after, "ceiling_operations_per_s"),
        figure(before, "ceiling_operations_per_s"));
  // The run's latency as a multiple of the floor's, and its rate as a share of the ceiling.
  enter("run_over_floor_setup_p50", report.setup_latency.p50, figure(out, "setup_p50_us"));
  enter("run_over_floor_setup_p99", report.setup_latency.p99, figure(out, "setup_p99_us"));
  enter("run_over_floor_release_p50", report.release_latency.p50, figure(out, "release_p50_us"));
  enter("run_over_floor_release_p99", report.release_latency.p99, figure(out, "release_p99_us"));
  enter("run_share_of_ceiling", report.call_operations_per_s,
        figure(out, "ceiling_operations_per_s"));
  return out;
}

std::string to_text(const FloorFigures& figures) {
  if (figures.empty()) return "";
  std::string text = fmt::format("Floor (null servants, {:.0f} switches{})",
                                 figure(figures, "switches"), aggregation_of(figures));
  line_of(text, figures, "TCP round trip",
          {{"tcp_ping_p50_us", "p50 {:.1f} us"},
           {"tcp_ping_same_processor_p50_us", "{:.1f} us on one processor"},
           {"tcp_ping_other_processor_p50_us", "{:.1f} us across two"}});
  line_of(text, figures, "ORB round trip",
          {{"orb_ping_p50_us", "p50 {:.1f} us"},
           {"orb_ping_same_processor_p50_us", "{:.1f} us on one processor"},
           {"orb_ping_other_processor_p50_us", "{:.1f} us across two"}});
  line_of(text, figures, "setup",
          {{"setup_p50_us", "p50 {:.0f} us"},
           {"setup_p99_us", "p99 {:.0f} us"},
           {"calls_per_s", "at {:.0f} calls/s"}});
  line_of(text, figures, "release",
          {{"release_p50_us", "p50 {:.0f} us"}, {"release_p99_us", "p99 {:.0f} us"}});
  line_of(text, figures, "generator",
          {{"generator_cpu_us_per_call", "{:.2f} us of processor time a call"},
           {"generator_processors", "{:.2f} processors"},
           {"slip_p99_us", "late by {:.0f} us at p99"}});
  line_of(text, figures, "ceiling",
          {{"ceiling_operations_per_s", "{:.0f} operations/s"},
           {"ceiling_in_flight", "{:.0f} under way"},
           {"ceiling_generator_cpu_us_per_call", "generator {:.2f} us a call"}});
  line_of(text, figures, "this run",
          {{"run_over_floor_setup_p50", "setup p50 {:.2f} times the floor's"},
           {"run_over_floor_setup_p99", "p99 {:.2f} times"},
           {"run_share_of_ceiling", "{:.4f} of its operations/s"}});
  line_of(text, figures, "after over before",
          {{"after_over_before_setup_p50", "setup p50 {:.2f}"},
           {"after_over_before_ceiling", "ceiling {:.2f}"}});
  return text;
}

}  // namespace xbind::callgen
