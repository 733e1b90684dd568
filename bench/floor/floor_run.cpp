#include "bench/floor/floor_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/corba/two_way.hpp"
#include "orb/name_client.hpp"

namespace xbind::callgen::null {
namespace {

constexpr double kLongest_s = 2;
constexpr std::uint64_t kFewestCalls = 200;
constexpr Duration kCeiling = std::chrono::seconds{1};

Duration ns(double seconds) { return Duration{static_cast<Duration::rep>(seconds * 1e9)}; }

// Setups and releases alone, at the run's rate, for a few seconds, so that a floor stays short.
RunPlan plain_load(const RunPlan& run) {
  RunPlan plan;
  plan.calls_per_s = run.calls_per_s;
  plan.calls =
      std::max(kFewestCalls, static_cast<std::uint64_t>(std::ceil(plan.calls_per_s * kLongest_s)));
  plan.calls = std::min(plan.calls, std::max(kFewestCalls, run.calls));
  plan.hold_mean = std::min(run.hold_mean, ns(kLongest_s / 2));
  plan.service = run.service;
  plan.seed = run.seed;
  plan.max_batch = run.max_batch;
  return plan;
}

// The first manager's current aggregation. Its adaptive mode does not report how many batches may
// be in flight; then both use the default.
Result<Gathering> gathering_of(const ClientOptions& client, const std::string& manager,
                               orb::Runtime& runtime) {
  orb::NameClient names(runtime.orb(), client.common.name_service);
  const auto connections = client::TwoWay::find(names, manager, "manager " + manager);
  if (!connections) return tl::make_unexpected(connections.error());
  const auto now = connections->aggregation();
  if (!now) return tl::make_unexpected(now.error());
  const auto metrics = connections->status();
  if (!metrics) return tl::make_unexpected(metrics.error());
  for (const auto& [name, value] : *metrics) {
    // The engines that wait for every answer send each command alone.
    if (name == "engine" && value != 0) return Gathering{.threshold = 1};
  }
  Gathering gathering;
  gathering.adaptive = now->mode == v2::aggregation_adaptive;
  gathering.threshold = now->threshold;
  gathering.flush_timeout = ns(now->flush_timeout_ms / 1000);
  return gathering;
}

}  // namespace

RunPlan low_load(RunPlan plan) {
  plan.calls = 500;
  plan.calls_per_s = 250;
  plan.arrivals = Arrivals::kPoisson;
  plan.hold_mean = std::chrono::milliseconds{20};
  return plan;
}

Result<FloorAnswer> measure_floor(const FloorAsked& asked, orb::Runtime& runtime) {
  const auto tcp = tcp_pings();
  if (!tcp) return tl::make_unexpected(tcp.error());
  auto floor = Floor::start(asked.setup, runtime);
  if (!floor) return tl::make_unexpected(floor.error());
  const auto orb = (*floor)->orb_pings();
  if (!orb) return tl::make_unexpected(orb.error());
  auto workload = Workload::weighted({{asked.from, asked.to, 1.0}}, asked.plan.seed);
  if (!workload) return tl::make_unexpected(workload.error());
  if (const auto leaves = workload->take_leaves({asked.from, asked.to, asked.from + "-leaf"});
      !leaves) {
    return tl::make_unexpected(leaves.error());
  }
  auto report = (*floor)->offer(asked.plan, std::move(*workload));
  if (!report) return tl::make_unexpected(report.error());
  FloorAnswer answer{std::move(*report)};
  FloorFigures& figures = answer.report.floor;
  add_pings("tcp_ping", *tcp, figures);
  add_pings("orb_ping", *orb, figures);
  figures["switches"] = asked.setup.switches;
  figures["client_batch"] = static_cast<double>(asked.plan.max_batch);
  if (asked.setup.gathering.adaptive) {
    figures["batches_in_flight"] = static_cast<double>(asked.setup.gathering.in_flight);
  } else {
    figures["threshold"] = static_cast<double>(asked.setup.gathering.threshold);
  }
  add_latencies(answer.report, figures);
  add_cost("", (*floor)->cost(), static_cast<double>(asked.plan.calls), figures);
  if (asked.ceiling == Duration::zero()) return answer;
  const LoopPlan loop_plan{.in_flight = asked.outstanding,
                           .max_batch = asked.plan.max_batch,
                           .measured = asked.ceiling,
                           .service = asked.plan.service};
  auto pair = Workload::weighted({{asked.from, asked.to, 1.0}}, asked.plan.seed);
  if (!pair) return tl::make_unexpected(pair.error());
  const auto loop = (*floor)->loop(loop_plan, std::move(*pair));
  if (!loop) return tl::make_unexpected(loop.error());
  add_ceiling(loop_plan, *loop, figures);
  // A call is two operations; those outside the measured time cost processor time, too.
  add_cost("ceiling_", (*floor)->cost(), static_cast<double>(loop->all_operations) / 2, figures);
  return answer;
}

// ===== around a run ==============================================================================

void FloorOfRun::declare(config::OptionSet& set) {
  set.add_flag("with-floor", &wanted_,
               "Measure null servants before and after, and report the run as a share of them.");
  set.add_uint("floor-switches", &switches_, 3, {0, kMostSwitches},
               "With --with-floor: null switches that each request goes to.");
  set.add_check([this, &set]() -> std::optional<std::string> {
    if (wanted_ || !set.given("floor-switches")) return std::nullopt;
    return "option --floor-switches needs --with-floor: without it there is no floor";
  });
}

Result<void> FloorOfRun::before(const ClientOptions& client, const RunOptions& run,
                                orb::Runtime& runtime) {
  if (!wanted_) return {};
  const auto gathering = gathering_of(client, managers_of(run).front(), runtime);
  if (!gathering) return tl::make_unexpected(gathering.error());
  FloorAsked asked;
  asked.setup = {*gathering, switches_, false, client.common.listen_address};
  asked.plan = plain_load(plan_of(run));
  asked.ceiling = kCeiling;
  auto measured = measure_floor(asked, runtime);
  if (!measured) return tl::make_unexpected(measured.error());
  before_ = std::move(measured->report.floor);
  asked_ = std::move(asked);
  return {};
}

Result<void> FloorOfRun::after(orb::Runtime& runtime, RunReport& report) {
  if (!asked_) return {};
  const auto measured = measure_floor(*asked_, runtime);
  if (!measured) return tl::make_unexpected(measured.error());
  report.floor = shares_of_floor(before_, measured->report.floor, report);
  return {};
}

}  // namespace xbind::callgen::null
