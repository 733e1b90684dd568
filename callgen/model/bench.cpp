// Prints what the model says about the manager's aggregation; nothing is measured on this machine.
//   model_bench [calibration] [aggregation] ...: without a word, everything.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/model/calibration.hpp"
#include "callgen/model/point.hpp"
#include "core/log.hpp"

namespace {

using namespace xbind;
using namespace xbind::model;
using cmgr::AggregationMode;

constexpr double kLoads[] = {0.01, 0.10, 0.30, 0.60, 0.85, 0.97};

struct Policy {
  std::string name;
  cmgr::Aggregation aggregation;
};

std::vector<Policy> fixed_policies() {
  std::vector<Policy> policies;
  for (const std::size_t threshold : {1U, 2U, 4U, 10U, 15U, 32U, 64U}) {
    cmgr::Aggregation aggregation;
    aggregation.threshold = threshold;
    policies.push_back({fmt::format("T={}", threshold), aggregation});
  }
  return policies;
}

std::vector<Policy> adaptive_policies() {
  std::vector<Policy> policies;
  for (const std::size_t in_flight : {1U, 2U, 3U, 4U, 8U}) {
    cmgr::Aggregation aggregation;
    aggregation.mode = AggregationMode::kAdaptive;
    aggregation.in_flight = in_flight;
    policies.push_back({fmt::format("adaptive {}", in_flight), aggregation});
  }
  return policies;
}

struct Setting {
  std::string_view name;
  Placement placement;
  std::size_t cores;
  Costs costs;
  double some_rate;  // where the search for saturation begins
  Duration flush_timeout;
};

PointPlan plan_of(const Setting& setting, const cmgr::Aggregation& aggregation) {
  PointPlan plan;
  plan.placement = setting.placement;
  plan.cores = setting.cores;
  plan.costs = setting.costs;
  plan.calls = 20'000;
  plan.manager.label_cache_target = 1'024;
  plan.manager.aggregation = aggregation;
  plan.manager.aggregation.flush_timeout = setting.flush_timeout;
  return plan;
}

void print_calibration() {
  fmt::print("measured and modelled, processor time in us per operation\n");
  fmt::print("{:>3} {:>7} | {:>6} {:>6} | {:>13} | {:>13} | {:>13} | {:>13} | {:>11}\n", "T",
             "rate", "p50", "", "client", "manager", "switchserver", "switch", "messages");
  for (const Measured& measured : kMeasured) {
    PointPlan plan;
    plan.rate = measured.rate;
    plan.calls = measured.calls;
    plan.manager.aggregation.threshold = measured.threshold;
    const PointResult result = run_point(plan);
    const auto us = [&](std::size_t process) { return result.processes[process].us_per_operation; };
    fmt::print(
        "{:>3} {:>7.0f} | {:>6.0f} {:>6.0f} | {:>6.1f} {:>6.1f} | {:>6.1f} {:>6.1f} | {:>6.1f} "
        "{:>6.1f} |"
        " {:>6.1f} {:>6.1f} | {:>5.2f} {:>5.2f}\n",
        measured.threshold, measured.rate, measured.p50_us, result.p50_us, measured.us_client,
        us(0), measured.us_manager, us(1), measured.us_server, us(3), measured.us_switch, us(6),
        measured.invocations,
        static_cast<double>(result.invocations.sum()) /
            static_cast<double>(result.offered + result.released));
  }
}

void print_aggregation(const Setting& setting) {
  fmt::print("\n{}\n", setting.name);
  const std::vector<Policy> fixed = fixed_policies();
  const std::vector<Policy> adaptive = adaptive_policies();
  fmt::print("\nhighest sustained rate, setups/s\n");
  double best = 0;
  for (const std::vector<Policy>* policies : {&fixed, &adaptive}) {
    for (const Policy& policy : *policies) {
      PointPlan plan = plan_of(setting, policy.aggregation);
      plan.rate = best > 0 ? best : setting.some_rate;
      plan.calls = 100'000;
      const double most = saturation(plan);
      if (policies == &fixed) best = std::max(best, most);
      fmt::print("  {:12} {:>8.0f}  {:.3f}\n", policy.name, most, most / best);
    }
  }
  fmt::print("\nmean setup latency in us, and its ratio to that of the best T\n{:14}", "load");
  for (const double load : kLoads) fmt::print(" {:>12}", fmt::format("{:.0f} %", load * 100));
  fmt::print("\n");
  double lowest[std::size(kLoads)];
  std::fill(std::begin(lowest), std::end(lowest), 1e300);
  for (const std::vector<Policy>* policies : {&fixed, &adaptive}) {
    for (const Policy& policy : *policies) {
      fmt::print("{:14}", policy.name);
      for (std::size_t i = 0; i < std::size(kLoads); ++i) {
        PointPlan plan = plan_of(setting, policy.aggregation);
        plan.rate = kLoads[i] * best;
        const PointResult result = run_point(plan);
        if (policies == &fixed) lowest[i] = std::min(lowest[i], result.mean_us);
        fmt::print(" {:>7.0f} {:.2f}", result.mean_us, result.mean_us / lowest[i]);
      }
      fmt::print("\n");
    }
  }
}

}  // namespace

int main(int count, char** words) {
  log::start("model_bench", log::Level::kWarn);
  const auto asked = [&](std::string_view word) {
    return count < 2 || std::find(words + 1, words + count, word) != words + count;
  };
  if (asked("calibration")) print_calibration();
  if (asked("aggregation")) {
    print_aggregation({"two cores", Placement::kOneHost, 2, native_costs(), 20'000,
                       std::chrono::milliseconds{5}});
    print_aggregation({"a core for every process", Placement::kOwnHosts, 1, native_costs(), 50'000,
                       std::chrono::milliseconds{5}});
    print_aggregation(
        {"1998", Placement::kOwnHosts, 1, costs_of_1998(), 50, std::chrono::seconds{1}});
  }
}
