#include "bench/figures/model_source.hpp"

#include <algorithm>

namespace xbind::figures {

model::PointPlan plan_of(const Point& point, const model::PaperHosts& hosts) {
  const System& system = point.system;
  const Load& load = point.load;
  model::PointPlan plan = model::paper_plan(hosts);
  if (system.engine != Engine::kXbind) {
    plan.manager = model::baseline(system.engine == Engine::kSequential ? 1 : system.threads);
  }
  if (system.engine == Engine::kXbind) plan.manager.label_cache_target = system.labels_cached;
  cmgr::Aggregation& aggregation = plan.manager.aggregation;
  aggregation.threshold = system.threshold;
  aggregation.flush_timeout = system.flush_timeout;
  switch (system.gathering) {
    case Gathering::kFixed: aggregation.mode = cmgr::AggregationMode::kFixed; break;
    case Gathering::kRegions: aggregation.mode = cmgr::AggregationMode::kRegions; break;
    case Gathering::kAdaptive:
      aggregation.mode = cmgr::AggregationMode::kAdaptive;
      // Adaptive aggregation suits processes that take all available messages before they act, as
      // our daemons do (core/serial.hpp), and not those of the paper.
      plan.costs.host.messages_a_run = 0;
      break;
  }
  plan.route_validity = system.route_validity;
  plan.switches = system.switches;
  if (!load.one_at_a_time) plan.rate = load.calls_per_s;
  plan.calls = load.calls;
  plan.one_at_a_time = load.one_at_a_time;
  if (load.one_at_a_time) plan.callers = 1;
  plan.hold_distribution = load.hold_distribution;
  plan.hold_mean = load.hold_mean;
  plan.client_batch = load.client_batch;
  plan.seed = load.seed;
  return plan;
}

Result<Shown> ModelSource::measure(const Point& point) {
  const Load& load = point.load;
  if (load.calls == 0 || load.client_batch == 0) {
    return fail(ErrorCode::kBadInput, "{} calls in batches of {}: at least one of each", load.calls,
                load.client_batch);
  }
  if (!load.one_at_a_time && !(load.calls_per_s > 0)) {
    return fail(ErrorCode::kBadInput, "{} calls/s: more than 0", load.calls_per_s);
  }
  if (point.system.switches < 1 || point.system.switches > 8) {
    return fail(ErrorCode::kBadInput, "{} switches: 1 to 8", point.system.switches);
  }
  const model::PointPlan plan = plan_of(point, hosts_);
  if (auto good = cmgr::check(plan.manager.aggregation); !good) {
    return tl::make_unexpected(good.error());
  }
  const model::PointResult result = model::run_point(plan);
  Shown shown;
  shown.offered = result.offered;
  shown.connected = result.connected;
  shown.refused = result.refused;
  shown.unanswered = result.offered - result.connected - result.refused;
  shown.offered_per_s = result.offered_per_s;
  shown.achieved_per_s = result.achieved_per_s;
  shown.operations_per_s = result.operations_per_s;
  shown.invocations_per_s = result.invocations_per_s;
  shown.sustained = result.sustained() && result.ended;
  shown.setup = {result.recorded,     result.min_us / 1e3, result.mean_us / 1e3,
                 result.p5_us / 1e3,  result.p50_us / 1e3, result.p95_us / 1e3,
                 result.p99_us / 1e3, result.max_us / 1e3};
  shown.hit_ratio = result.hit_ratio;
  shown.in_use_at_arrivals = result.in_use_at_arrivals;
  shown.mean_in_use = result.mean_in_use;
  return shown;
}

}  // namespace xbind::figures
