// Prints the results of the performance model; nothing is measured on this machine.
//   model_bench [calibration] [two-cores] [own-cores] [1999] [engines]: no word: all.
//   model_bench fit: searches for the constants of paper.cpp; takes some minutes.
//   model_bench drain ...: the same; the manager drains up to 32 messages before it sends.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/claims.hpp"
#include "bench/model/fit.hpp"
#include "bench/model/paper.hpp"
#include "bench/model/point.hpp"
#include "core/log.hpp"

namespace {

using namespace xbind;
using namespace xbind::model;
using std::chrono::milliseconds;

constexpr std::uint64_t kCalls = 20'000;
constexpr std::uint64_t kCallsToSaturate = 60'000;

struct Policy {
  std::string name;
  cmgr::Aggregation aggregation;
};

std::vector<Policy> fixed_policies(Duration flush_timeout) {
  std::vector<Policy> policies;
  for (const std::size_t threshold : kThresholds) {
    cmgr::Aggregation aggregation;
    aggregation.threshold = threshold;
    aggregation.flush_timeout = flush_timeout;
    policies.push_back({fmt::format("T={}", threshold), aggregation});
  }
  return policies;
}

std::vector<Policy> adaptive_policies() {
  std::vector<Policy> policies;
  for (const std::size_t in_flight : {1U, 2U, 3U, 4U, 8U}) {
    cmgr::Aggregation aggregation;
    aggregation.mode = cmgr::AggregationMode::kAdaptive;
    aggregation.in_flight = in_flight;
    policies.push_back({fmt::format("adaptive {}", in_flight), aggregation});
  }
  return policies;
}

void print_calibration() {
  fmt::print("measured | modelled; processor time in us per operation\n");
  fmt::print("{:>3} {:>7} {:>15} {:>15} {:>15} {:>15} {:>15} {:>15}\n", "T", "rate", "p50",
             "client", "manager", "SwitchServer", "switch", "invocations");
  for (const Measured& measured : kMeasured) {
    PointPlan plan;
    plan.rate = measured.rate;
    plan.calls = measured.calls;
    plan.manager.aggregation.threshold = measured.threshold;
    const PointResult result = run_point(plan);
    const auto column = [](double real, double modelled, int digits) {
      fmt::print(" {:>15}", fmt::format("{:.{}f} | {:.{}f}", real, digits, modelled, digits));
    };
    const auto us = [&](std::size_t process) { return result.processes[process].us_per_operation; };
    fmt::print("{:>3} {:>7.0f}", measured.threshold, measured.rate);
    column(measured.p50_us, result.p50_us, 0);
    column(measured.client_us, us(0), 1);
    column(measured.manager_us, us(1), 1);
    column(measured.switch_server_us, us(3), 1);
    column(measured.label_switch_us, us(6), 1);
    column(measured.invocations,
           static_cast<double>(result.invocations.sum()) /
               static_cast<double>(result.offered + result.released),
           2);
    fmt::print("\n");
  }
}

// `plan` has everything except the aggregation; its rate is where the search for saturation begins.
void print_aggregation(std::string_view title, PointPlan plan, Duration flush_timeout) {
  fmt::print("\n{}\nhighest sustained rate in setups/s, and its ratio to that of the best T\n",
             title);
  const std::vector<Policy> fixed = fixed_policies(flush_timeout);
  const std::vector<Policy> adaptive = adaptive_policies();
  plan.manager.label_cache_target = 1'024;
  plan.calls = kCallsToSaturate;
  double best = 0;
  const auto saturate = [&](const Policy& policy) {
    plan.manager.aggregation = policy.aggregation;
    return saturation(plan);
  };
  for (const Policy& policy : fixed) {
    const double most = saturate(policy);
    best = std::max(best, most);
    fmt::print("  {:12} {:>8.0f}\n", policy.name, most);
  }
  for (const Policy& policy : adaptive) {
    const double most = saturate(policy);
    fmt::print("  {:12} {:>8.0f}  {:.2f}\n", policy.name, most, most / best);
  }
  fmt::print("mean setup latency in us, and its ratio to that of the best T\n  {:12}", "load");
  for (const double load : kLoads) fmt::print(" {:>13}", fmt::format("{:.0f} %", load * 100));
  fmt::print("\n");
  plan.calls = kCalls;
  std::vector<double> lowest;
  for (const bool adapts : {false, true}) {
    for (const Policy& policy : adapts ? adaptive : fixed) {
      fmt::print("  {:12}", policy.name);
      for (std::size_t at = 0; at < std::size(kLoads); ++at) {
        plan.rate = kLoads[at] * best;
        plan.manager.aggregation = policy.aggregation;
        const double mean_us = run_point(plan).mean_us;
        if (at == lowest.size()) lowest.push_back(mean_us);
        if (!adapts) lowest[at] = std::min(lowest[at], mean_us);
        fmt::print(" {:>13}", adapts ? fmt::format("{:.0f} {:.2f}", mean_us, mean_us / lowest[at])
                                     : fmt::format("{:.0f}     ", mean_us));
      }
      fmt::print("\n");
    }
  }
}

void print_engines(std::string_view title, PointPlan plan, double low_rate) {
  struct Engine {
    std::string_view name;
    cmgr::Config config;
  };
  cmgr::Config xbind;
  xbind.label_cache_target = 1'024;
  cmgr::Config adaptive = xbind;
  adaptive.aggregation.mode = cmgr::AggregationMode::kAdaptive;
  const Engine engines[] = {{"sequential", baseline(1)},
                            {"threaded", baseline(kThreads)},
                            {"xbind T=1", xbind},
                            {"xbind adaptive", adaptive}};
  fmt::print("\n{}: engines\n  {:14} {:>22} {:>22}\n", title, "", "mean us at low load",
             "sustained setups/s");
  double sequential_us = 0;
  double best_baseline = 0;
  for (const Engine& engine : engines) {
    plan.manager = engine.config;
    const double begin = plan.rate;
    plan.calls = kCalls;
    plan.rate = low_rate;
    const double mean_us = run_point(plan).mean_us;
    plan.rate = begin;
    const double most = saturation(plan);
    if (sequential_us == 0) sequential_us = mean_us;
    if (engine.config.one_by_one) best_baseline = std::max(best_baseline, most);
    fmt::print("  {:14} {:>22} {:>22}\n", engine.name,
               fmt::format("{:.0f} ({:.2f})", mean_us, mean_us / sequential_us),
               fmt::format("{:.0f} ({:.1f})", most, most / best_baseline));
  }
}

void print_paper(const PaperHosts& hosts, double off) {
  const auto us = [](Duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  fmt::print(
      "message {:.1f} us, {:.3f} of it before leaving; command {:.1f} us, at the switch {:.1f} us; "
      "pause {:.4f} of "
      "messages, "
      "{:.0f} us; misfit {:.5f}\n",
      us(hosts.message), hosts.before_leaving, us(hosts.command), us(hosts.switch_command),
      hosts.pause_chance, us(hosts.pause_mean), off);
}

void print_fit() {
  const PaperHosts found = fit_to_paper(print_paper);
  const FitNumbers shown = shown_with(found);
  fmt::print("\nfound:\n");
  print_paper(found, misfit(shown, kPaperSays));
  const auto line = [](std::string_view what, double ours, double paper) {
    fmt::print("  {:24} paper {:5.1f} ms, model {:6.2f} ms\n", what, paper, ours);
  };
  line("B1 min", shown.b1_min, kPaperSays.b1_min);
  line("B1 5 %", shown.b1_p5, kPaperSays.b1_p5);
  line("B1 mean", shown.b1_mean, kPaperSays.b1_mean);
  line("B1 95 %", shown.b1_p95, kPaperSays.b1_p95);
  line("T = 1, 1 call/s, mean", shown.t1_at_1, kPaperSays.t1_at_1);
  line("T = 1, 60 calls/s, mean", shown.t1_at_60, kPaperSays.t1_at_60);
}

}  // namespace

int main(int count, char** words) {
  log::start("model_bench", log::Level::kError);
  const auto said = [&](std::string_view word) {
    return std::find(words + 1, words + count, word) != words + count;
  };
  const bool drain = said("drain");
  const auto asked = [&](std::string_view word) { return count == 1 + drain || said(word); };
  PointPlan native;
  if (drain) native.manager_drain = 32;
  native.rate = 100'000;
  PointPlan wide = native;
  wide.placement = Placement::kOwnHosts;
  wide.cores = 1;
  PointPlan old = paper_plan();
  if (drain) old.manager_drain = 32;
  old.rate = 100;
  if (said("fit")) {
    print_fit();
    return 0;
  }
  if (asked("calibration")) print_calibration();
  if (asked("two-cores")) print_aggregation("two cores", native, milliseconds{5});
  if (asked("own-cores")) print_aggregation("a core for every process", wide, milliseconds{5});
  if (asked("1999")) print_aggregation("1999", old, milliseconds{1'000});
  if (asked("engines")) {
    native.rate = 3'000;
    print_engines("two cores", native, kLowRate);
    old.rate = 50;
    print_engines("1999", old, 1);
  }
}
