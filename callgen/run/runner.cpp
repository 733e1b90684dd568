#include "callgen/run/runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

std::vector<ServiceSpec> services_of(const RunPlan& plan) {
  if (plan.classes.empty()) return {plan.service};
  std::vector<ServiceSpec> services;
  for (const CallClass& one : plan.classes) services.push_back(one.service);
  return services;
}

}  // namespace

Runner::Runner(RunPlan plan, Workload workload, CallInspector* inspector, RecordSink* sink)
    : plan_(std::move(plan)),
      source_(plan_, std::move(workload)),
      offer_(plan_),
      only_setups_(plan_.mix.only_setups()),
      inspector_(inspector),
      sink_(sink),
      due_(plan_.managers, plan_.max_batch, services_of(plan_), plan_.modified_service,
           plan_.both_ways) {
  XB_CHECK(plan_.calls > 0 && plan_.max_batch > 0 && plan_.managers > 0 &&
               plan_.drain_timeout >= Duration::zero(),
           plan_.calls, plan_.max_batch, plan_.managers, plan_.drain_timeout.count());
  XB_CHECK(plan_.arrivals != Arrivals::kTrace || plan_.calls <= plan_.trace->calls.size(),
           plan_.calls);
  XB_CHECK(!plan_.mix.has(Scenario::kHold) || (plan_.hold_ms > 0 && plan_.hold_ms <= kHoldMsMax),
           plan_.hold_ms);
  figures_.planned_calls = plan_.calls;
  figures_.phases.resize(plan_.phases.size());
  figures_.classes.resize(plan_.classes.size());
  const double rate = mean_rate(arrivals_of(plan_));
  figures_.statistics.expect(rate > 0 ? rate : plan_.calls_per_s, plan_.warm_up);
}

// ===== time =====================================================================================

TimePoint Runner::clamp_to_latest(TimePoint now) {
  return latest_now_ = std::max(latest_now_, now);
}

void Runner::start(TimePoint now) {
  XB_CHECK(!started_);
  started_ = true;
  started_at_ = now;
  latest_now_ = now;
  last_progress_ = now;
  last_event_ = now;
  offer_.start(now);
}

std::vector<Dispatch> Runner::advance(TimePoint now) {
  XB_CHECK(started_);
  now = clamp_to_latest(now);
  if (finished_) return {};
  const CallIndex first_call = offer_.offered();
  for (;;) {
    if (step_is_next()) {
      if (steps_.top().due > now) break;
      send_step(now);
    } else {
      if (offer_.due() > now) break;
      send_begin(now);
    }
  }
  if (offer_.offered() != first_call) tell_gaps();
  std::vector<Dispatch> batches = due_.take();
  figures_.batches += batches.size();
  if (const auto deadline = drain_deadline(); deadline && now >= *deadline) give_up_open_calls();
  finish_if_over(now);
  return batches;
}

TimePoint Runner::next_deadline() const {
  if (finished_ || !started_) return kNever;
  const TimePoint next_step = steps_.empty() ? kNever : steps_.top().due;
  return std::min({offer_.due(), next_step, drain_deadline().value_or(kNever)});
}

bool Runner::step_is_next() const { return !steps_.empty() && steps_.top().due <= offer_.due(); }

// Known once nothing more is planned; an answer that plans another step moves it.
std::optional<TimePoint> Runner::drain_deadline() const {
  if (stop_by_) return stop_by_;
  if (offer_.pending() || !steps_.empty() || under_inspection_ > 0) return std::nullopt;
  return last_event_ + plan_.drain_timeout;
}

// ===== requests =================================================================================

RequestId Runner::request_of(CallIndex call, Step step) const {
  const std::uint64_t offset = only_setups_ ? 2 * call + (step == kEnd ? 1 : 0) : 4 * call + step;
  return RequestId{plan_.first_request.value() + offset};
}

void Runner::count_arrival(Duration planned) {
  const double gap_s = in_seconds(planned - figures_.planned_span);
  gap_sum_s_ += gap_s;
  gap_square_sum_ += gap_s * gap_s;
  figures_.planned_span = planned;
}

void Runner::tell_gaps() {
  const auto count = static_cast<double>(offer_.offered());
  figures_.gap_mean_s = gap_sum_s_ / count;
  if (figures_.gap_mean_s > 0) {
    const double variance = gap_square_sum_ / count - figures_.gap_mean_s * figures_.gap_mean_s;
    figures_.gap_variation = std::sqrt(std::max(0.0, variance)) / figures_.gap_mean_s;
  }
}

void Runner::send_begin(TimePoint now) {
  const CallIndex index = offer_.offered();
  const NextCall next = source_.next(index, offer_.next_in_plan());
  Call call;
  call.intended = offer_.due();
  call.hold = next.hold;
  call.leaf = next.leaf;
  call.scenario = next.scenario;
  call.phase = next.phase;
  call.call_class = next.call_class;
  const Duration planned = call.intended - started_at_;
  count_arrival(planned);
  ++figures_.setups.attempted;
  RequestCounts& counts = counts_of(kind_of(call.scenario, kBegin));
  ++counts.attempted;
  const Duration planned_at = offer_.at_base_rate(call.intended);
  const Duration sent_at = offer_.at_base_rate(now);
  offer_.take();

  if (open_ >= plan_.max_open_calls) {
    ++figures_.shed;
    ++figures_.setups.unanswered;
    ++counts.unanswered;
    figures_.statistics.offered(planned, RequestRecord::kNever, {planned_at, sent_at});
    record(index, call, Ended::kShed, RequestRecord::kNever, nullptr);
    offer_.previous_over(now);
    return;
  }
  figures_.sent_span = now - started_at_;
  figures_.statistics.offered(planned, now - started_at_, {planned_at, sent_at});
  last_event_ = now;
  ++open_;
  call.sent = now;
  call.was_sent.add(kBegin);
  calls_.insert(index, call);
  if (inspector_ != nullptr) inspector_->offered(index, next.ends, now);
  due_.connect(manager_of(index), request_of(index, kBegin), next.ends,
               {next.call_class, next.priority},
               call.scenario == Scenario::kHold ? plan_.hold_ms : 0);
}

void Runner::plan_step(Slot slot, Step step, TimePoint due) {
  Call& call = calls_[slot];
  if (stop_by_) {
    if (call.up) step = kEnd;
    due = std::min(due, latest_now_);
    if (call.up && inspector_ != nullptr && !call.inspected) {
      call.inspected = inspector_->stopped(calls_.index_of(slot));
      if (call.inspected) ++under_inspection_;
    }
  }
  call.step = step;
  call.intended = due;
  last_event_ = std::max(last_event_, due);
  if (!call.inspected) steps_.push({due, calls_.index_of(slot)});
}

void Runner::send_step(TimePoint now) {
  const PlannedStep planned = steps_.top();
  steps_.pop();
  const Slot slot = calls_.find(planned.call);
  XB_CHECK(slot != Calls::kNowhere && !calls_[slot].given_up, planned.call);
  Call& call = calls_[slot];
  call.intended = planned.due;
  call.sent = now;
  call.was_sent.add(call.step);
  last_event_ = now;
  const RequestKind kind = kind_of(call.scenario, call.step);
  ++counts_of(kind).attempted;
  XB_CHECK(kind != RequestKind::kSetup && kind != RequestKind::kHold, planned.call);
  if (kind == RequestKind::kRelease) ++figures_.releases.attempted;
  due_.ask(manager_of(planned.call), kind, request_of(planned.call, call.step), call.connection,
           call.leaf);
}

void Runner::stop(TimePoint now) {
  if (finished_ || !started_ || stop_by_) return;
  now = clamp_to_latest(now);
  figures_.interrupted = true;
  stop_by_ = now + plan_.drain_timeout;
  offer_.stop();
  std::vector<PlannedStep> planned(steps_.begin(), steps_.end());
  steps_.clear();
  for (const PlannedStep& step : planned) {
    const Slot slot = calls_.find(step.call);
    plan_step(slot, calls_[slot].step, step.due);
  }
  finish_if_over(now);
}

Progress Runner::progress(TimePoint now) {
  now = clamp_to_latest(now);
  Progress line;
  line.elapsed = finished_ ? figures_.duration : now - started_at_;
  // Once all calls are sent the rate is fixed; the drain is not part of the offer.
  const double offering_s = in_seconds(offer_.over() ? figures_.sent_span : line.elapsed);
  const auto sent = static_cast<double>(figures_.setups.attempted - figures_.shed);
  line.offered_per_s = offering_s > 0 ? sent / offering_s : 0;
  const OfferView offer = offer_.view(now);
  if (!offer.over) line.asked_per_s = offer.rate;
  line.paused = offer.paused;
  line.all_offered = offer.over;
  line.planned = offer_.planned_calls();
  line.refusals = figures_.refusals.by_cause();
  line.sent = figures_.setups.attempted - figures_.shed;
  line.connected = figures_.setups.connected;
  line.refused = figures_.setups.refused;
  line.busy = figures_.setups.busy;
  line.unanswered = figures_.setups.unanswered;
  line.up = figures_.calls_up;
  line.setup_p50 = figures_.statistics.setup_latency().percentile(50);
  line.setup_p99 = figures_.statistics.setup_latency().percentile(99);
  line.in_flight = open_ - steps_.size() - under_inspection_;
  line.since = now - last_progress_;
  last_progress_ = now;
  const Statistics::Glance glance = figures_.statistics.take_glance();
  line.answered = glance.answered;
  line.recent_p50 = glance.setup_latency.percentile(50);
  line.recent_p90 = glance.setup_latency.percentile(90);
  line.recent_p99 = glance.setup_latency.percentile(99);
  return line;
}

}  // namespace xbind::callgen
