#include "bench/search/closed_loop.hpp"

#include <string>
#include <utility>

#include "core/check.hpp"

namespace xbind::callgen {

double LoopFigures::operations_per_s() const {
  const double seconds = std::chrono::duration<double>(measured).count();
  return seconds > 0 ? static_cast<double>(operations) / seconds : 0;
}

ClosedLoop::ClosedLoop(LoopPlan plan, Workload workload)
    : plan_(std::move(plan)), workload_(std::move(workload)), slots_(plan_.in_flight) {
  XB_CHECK(plan_.in_flight > 0 && plan_.max_batch > 0, plan_.in_flight, plan_.max_batch);
  XB_CHECK(plan_.managers > 0, plan_.managers);
  for (std::size_t slot = slots_.size(); slot-- > 0;) ready_.push_back(slot);
}

void ClosedLoop::start(TimePoint now) {
  measure_from_ = now + plan_.warm_up;
  measure_to_ = measure_from_ + plan_.measured;
}

RequestId ClosedLoop::next_request(std::size_t slot) {
  return RequestId{++round_ * plan_.in_flight + slot};
}

std::vector<Dispatch> ClosedLoop::advance(TimePoint now) {
  std::vector<Dispatch> out;
  if (finished_) return out;
  const bool ending = now >= measure_to_;
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> filling(plan_.managers, kNone);  // index into `out`, by manager
  const auto room_for = [&](std::size_t manager) -> RequestBatch& {
    std::size_t& at = filling[manager];
    if (at != kNone) {
      RequestBatch& batch = out[at].batch;
      if (batch.connects.size() + batch.releases.size() < plan_.max_batch) return batch;
    }
    at = out.size();
    return out.emplace_back(Dispatch{manager, {}}).batch;
  };
  for (const std::size_t index : std::exchange(ready_, {})) {
    Slot& slot = slots_[index];
    if (slot.state == State::kFree && ending) continue;
    RequestBatch& batch = room_for(index % plan_.managers);
    slot.request = next_request(index);
    slot.sent = now;
    ++under_way_;
    if (slot.state == State::kFree) {
      slot.state = State::kSettingUp;
      const Ends ends = workload_.next();
      batch.connects.push_back(
          {slot.request, std::string{ends.from}, std::string{ends.to}, plan_.service});
    } else {
      slot.state = State::kReleasing;
      batch.releases.push_back({slot.request, slot.connection});
    }
  }
  if (ending && under_way_ == 0) finish();
  if (now >= measure_to_ + plan_.drain_timeout) finish();
  return out;
}

void ClosedLoop::answered(const OutcomeBatch& batch, std::size_t /*manager*/, TimePoint now) {
  if (finished_) return;
  for (const Outcome& outcome : batch.outcomes) {
    const std::size_t index = outcome.request.value() % plan_.in_flight;
    Slot& slot = slots_[index];
    const bool expected = slot.request == outcome.request &&
                          (slot.state == State::kSettingUp || slot.state == State::kReleasing);
    if (!expected) continue;  // a repeated outcome
    --under_way_;
    ready_.push_back(index);
    const bool setting_up = slot.state == State::kSettingUp;
    const bool done =
        outcome.kind == (setting_up ? OutcomeKind::kConnected : OutcomeKind::kReleased);
    slot.state = setting_up && done ? State::kUp : State::kFree;
    slot.connection = outcome.connection;
    ++figures_.all_operations;
    if (!done) {
      ++figures_.refused;
      if (outcome.cause != Cause::kNone) ++figures_.causes[outcome.cause];
    } else if (now >= measure_from_ && now < measure_to_) {
      ++figures_.operations;
      figures_.measured = now - measure_from_;
      figures_.latency.record(now - slot.sent);
    }
  }
}

void ClosedLoop::target_lost(TimePoint /*now*/) {
  figures_.target_lost = true;
  finish();
}

void ClosedLoop::stop(TimePoint now) {
  if (finished_ || now >= measure_to_) return;
  figures_.interrupted = true;
  measure_to_ = now;
}

void ClosedLoop::finish() {
  if (finished_) return;
  finished_ = true;
  figures_.unanswered = under_way_;
}

TimePoint ClosedLoop::next_deadline() const {
  if (finished_) return kNever;
  if (!ready_.empty()) return TimePoint::min();
  return measure_to_ + plan_.drain_timeout;
}

}  // namespace xbind::callgen
