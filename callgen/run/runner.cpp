#include "callgen/runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"

namespace xbind::callgen {
namespace {

std::size_t size_of(const RequestBatch& batch) {
  return batch.connects.size() + batch.releases.size();
}
double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void CauseCounts::count(const Outcome& outcome) {
  const std::string cause(outcome.kind == OutcomeKind::kBusy ? to_string(OutcomeKind::kBusy)
                                                             : to_string(outcome.cause));
  ++by_cause_[cause];
  std::string place = outcome.element.empty() ? cause : cause + " at " + outcome.element;
  if (by_place_.size() >= kMostPlaces && !by_place_.contains(place)) place = cause + " elsewhere";
  ++by_place_[place];
}

Runner::Runner(RunPlan plan, Workload workload, CallInspector* inspector, RecordSink* sink)
    : plan_(plan),
      workload_(std::move(workload)),
      pacer_(plan.arrivals, plan.calls_per_s, plan.seed),
      holding_(plan.hold_distribution, plan.hold_mean, plan.seed),
      inspector_(inspector),
      sink_(sink) {
  XB_CHECK(plan_.calls > 0 && plan_.max_batch > 0 && plan_.managers > 0 &&
               plan_.drain_timeout >= Duration::zero(),
           plan_.calls, plan_.max_batch, plan_.managers, plan_.drain_timeout.count());
  figures_.planned_calls = plan_.calls;
}

// ===== time =====================================================================================

void Runner::start(TimePoint now) {
  XB_CHECK(!started_);
  started_ = true;
  started_at_ = now;
  last_event_ = now;
  plan_next_call();
}

std::vector<Dispatch> Runner::advance(TimePoint now) {
  XB_CHECK(started_);
  std::vector<Dispatch> batches;
  if (finished_) return batches;
  for (;;) {
    if (release_is_next()) {
      if (ends_.top().due > now) break;
      send_release(batches, now);
    } else {
      if (next_arrival_ > now) break;
      send_setup(batches, now);
    }
  }
  figures_.batches += batches.size();
  if (const auto deadline = drain_deadline(); deadline && now >= *deadline) give_up_open_calls();
  finish_if_over(now);
  return batches;
}

TimePoint Runner::next_deadline() const {
  if (finished_ || !started_) return kNever;
  const TimePoint next_end = ends_.empty() ? kNever : ends_.top().due;
  return std::min({next_arrival_, next_end, drain_deadline().value_or(kNever)});
}

bool Runner::release_is_next() const { return !ends_.empty() && ends_.top().due <= next_arrival_; }

// Known once nothing more is planned; a setup answered meanwhile plans its release and moves it.
std::optional<TimePoint> Runner::drain_deadline() const {
  if (next_arrival_ != kNever || !ends_.empty() || under_inspection_ > 0) return std::nullopt;
  return last_event_ + plan_.drain_timeout;
}

// ===== requests =================================================================================

void Runner::plan_next_call() {
  if (next_call_ == plan_.calls) {
    next_arrival_ = kNever;
    return;
  }
  next_arrival_ = started_at_ + pacer_.next_start();
  next_hold_ = holding_.next();
}

RequestBatch& Runner::room(std::vector<Dispatch>& batches, std::size_t manager,
                           std::size_t max_batch) {
  const auto last = std::find_if(batches.rbegin(), batches.rend(),
                                 [manager](const Dispatch& one) { return one.manager == manager; });
  if (last != batches.rend() && size_of(last->batch) < max_batch) return last->batch;
  batches.push_back({manager, {}});
  return batches.back().batch;
}

void Runner::send_setup(std::vector<Dispatch>& batches, TimePoint now) {
  const CallIndex index = next_call_++;
  const TimePoint intended = next_arrival_;
  const Duration hold = next_hold_;
  const Ends ends = workload_.next();  // drawn for a shed call, too: the plan is the seed's alone
  const double gap_s = seconds(intended - started_at_ - figures_.planned_span);
  gap_sum_s_ += gap_s;
  gap_square_sum_ += gap_s * gap_s;
  const auto count = static_cast<double>(next_call_);
  figures_.gap_mean_s = gap_sum_s_ / count;
  if (figures_.gap_mean_s > 0) {
    const double variance = gap_square_sum_ / count - figures_.gap_mean_s * figures_.gap_mean_s;
    figures_.gap_variation = std::sqrt(std::max(0.0, variance)) / figures_.gap_mean_s;
  }
  figures_.planned_span = intended - started_at_;
  ++figures_.setups.attempted;
  plan_next_call();

  if (open_ >= plan_.max_open_calls) {
    ++figures_.shed;
    ++figures_.setups.unanswered;
    Call never_sent;
    never_sent.intended = intended;
    record(index, RequestKind::kSetup, Ended::kShed, never_sent, RequestRecord::kNever, nullptr);
    return;
  }
  figures_.sent_span = now - started_at_;
  last_event_ = now;
  ++open_;
  calls_.emplace(index, Call{State::kSettingUp, false, false, intended, now, hold, {}});
  if (inspector_ != nullptr) inspector_->offered(index, ends, now);
  room(batches, manager_of(index), plan_.max_batch)
      .connects.push_back({RequestId{plan_.first_request.value() + 2 * index},
                           std::string(ends.from), std::string(ends.to), plan_.service,
                           plan_.both_ways ? std::optional(plan_.service) : std::nullopt});
}

void Runner::send_release(std::vector<Dispatch>& batches, TimePoint now) {
  const PlannedEnd end = ends_.top();
  ends_.pop();
  const auto found = calls_.find(end.call);
  XB_CHECK(found != calls_.end() && found->second.state == State::kUp, end.call);
  Call& call = found->second;
  call.state = State::kReleasing;
  call.release_sent = true;
  call.intended = end.due;
  call.sent = now;
  ++figures_.releases.attempted;
  last_event_ = now;
  room(batches, manager_of(end.call), plan_.max_batch)
      .releases.push_back(
          {RequestId{plan_.first_request.value() + 2 * end.call + 1}, call.connection});
}

// ===== answers ==================================================================================

void Runner::notice(const Notice& notice, TimePoint now) {
  NoticeCounts& notices = figures_.notices;
  if (notices.all() == 0) first_notice_ = now;
  switch (notice.kind) {
    case NoticeKind::kBroken: ++notices.broken; break;
    case NoticeKind::kRerouted: ++notices.rerouted; break;
    case NoticeKind::kMended: ++notices.mended; break;
  }
  notices.span = now - first_notice_;
}

void Runner::outcome(const Outcome& outcome, TimePoint now, std::size_t manager) {
  const std::uint64_t first = plan_.first_request.value();
  const std::uint64_t offset =
      outcome.request.value() - first;  // wraps to a huge one below `first`
  const CallIndex index = offset / 2;
  const bool release = offset % 2 == 1;
  if (index >= next_call_ || manager_of(index) != manager) {
    ++figures_.odd.unknown;
    return;
  }
  const auto found = calls_.find(index);
  if (found == calls_.end()) {  // over and forgotten: it was answered
    ++figures_.odd.repeated;
    return;
  }
  const Call& call = found->second;
  if (!release && call.state == State::kSettingUp)
    setup_answered(found, outcome, now);
  else if (release && call.state == State::kReleasing)
    release_answered(found, outcome, now);
  else if (release ? call.state == State::kReleaseGivenUp && call.release_sent
                   : call.state == State::kSetupGivenUp)
    ++figures_.odd.late;
  else
    answered_before(call, release, outcome);
  finish_if_over(now);
}

void Runner::setup_answered(Calls::iterator found, const Outcome& outcome, TimePoint now) {
  Call& call = found->second;
  switch (outcome.kind) {
    case OutcomeKind::kConnected:
      ++figures_.setups.connected;
      record(found->first, RequestKind::kSetup, Ended::kDone, call, now - started_at_, &outcome);
      figures_.calls_up_peak = std::max(figures_.calls_up_peak, ++figures_.calls_up);
      call.state = State::kUp;
      call.connection = outcome.connection;
      call.intended = now + call.hold;
      last_event_ = std::max(last_event_, call.intended);
      call.inspected = inspector_ != nullptr && inspector_->connected(found->first, outcome, now);
      if (call.inspected)
        ++under_inspection_;
      else
        ends_.push({call.intended, found->first});
      return;
    case OutcomeKind::kRefused:
      ++figures_.setups.refused;
      figures_.refusals.count(outcome);
      break;
    case OutcomeKind::kBusy: ++figures_.setups.busy; break;
    case OutcomeKind::kReleased:
    case OutcomeKind::kHeld:
    case OutcomeKind::kModified:
    case OutcomeKind::kLeafAdded:
    case OutcomeKind::kLeafDropped: ++figures_.odd.contradicted; return;
  }
  record(found->first, RequestKind::kSetup,
         outcome.kind == OutcomeKind::kBusy ? Ended::kBusy : Ended::kRefused, call,
         now - started_at_, &outcome);
  call_over(found, false, now);
}

void Runner::release_answered(Calls::iterator found, const Outcome& outcome, TimePoint now) {
  switch (outcome.kind) {
    case OutcomeKind::kReleased:
      ++figures_.releases.released;
      record(found->first, RequestKind::kRelease, Ended::kDone, found->second, now - started_at_,
             &outcome);
      break;
    case OutcomeKind::kRefused:
    case OutcomeKind::kBusy:
      ++figures_.releases.failed;
      figures_.release_failures.count(outcome);
      record(found->first, RequestKind::kRelease,
             outcome.kind == OutcomeKind::kBusy ? Ended::kBusy : Ended::kRefused, found->second,
             now - started_at_, &outcome);
      break;
    case OutcomeKind::kConnected:
    case OutcomeKind::kHeld:
    case OutcomeKind::kModified:
    case OutcomeKind::kLeafAdded:
    case OutcomeKind::kLeafDropped: ++figures_.odd.contradicted; return;
  }
  --figures_.calls_up;
  call_over(found, outcome.kind == OutcomeKind::kReleased, now);
}

void Runner::record(CallIndex index, RequestKind kind, Ended ended, const Call& call,
                    Duration answered, const Outcome* outcome) {
  const bool sent = ended != Ended::kShed && !(kind == RequestKind::kRelease && !call.release_sent);
  RequestRecord record;
  record.call = index;
  record.kind = kind;
  record.ended = ended;
  record.manager = static_cast<std::uint32_t>(manager_of(index));
  record.planned = call.intended - started_at_;
  if (sent) record.sent = call.sent - started_at_;
  record.answered = answered;
  if (outcome != nullptr && ended != Ended::kDone) {
    record.cause = outcome->cause;
    record.element = outcome->element;
  }
  figures_.statistics.take(record);
  if (sink_ != nullptr) sink_->take(record);
}

// An answer to the setup of a call that is known to be connected, or to a release not yet sent.
void Runner::answered_before(const Call& call, bool release, const Outcome& outcome) {
  if (release)
    ++figures_.odd.unknown;
  else if (outcome.kind == OutcomeKind::kConnected && outcome.connection == call.connection)
    ++figures_.odd.repeated;
  else
    ++figures_.odd.contradicted;
}

// ===== ends =====================================================================================

void Runner::call_over(Calls::iterator call, bool released, TimePoint now) {
  if (inspector_ != nullptr) inspector_->over(call->first, released, now);
  calls_.erase(call);
  --open_;
}

void Runner::inspected(std::uint64_t index, TimePoint now) {
  const auto found = calls_.find(index);
  if (found == calls_.end() || !found->second.inspected) return;
  Call& call = found->second;
  call.inspected = false;
  --under_inspection_;
  call.intended = std::max(call.intended, now);
  last_event_ = std::max(last_event_, call.intended);
  ends_.push({call.intended, index});
}

void Runner::target_lost(TimePoint now) {
  if (finished_ || !started_) return;
  figures_.target_lost = true;
  next_arrival_ = kNever;
  give_up_open_calls();
  finish_if_over(now);
}

void Runner::give_up_open_calls() {
  for (auto& [index, call] : calls_) {
    if (call.state == State::kSettingUp) {
      ++figures_.setups.unanswered;
      record(index, RequestKind::kSetup, Ended::kUnanswered, call, RequestRecord::kNever, nullptr);
      call.state = State::kSetupGivenUp;
    } else {
      if (call.state == State::kUp) ++figures_.releases.attempted;
      record(index, RequestKind::kRelease, Ended::kUnanswered, call, RequestRecord::kNever,
             nullptr);
      call.inspected = false;
      ++figures_.releases.unanswered;
      call.state = State::kReleaseGivenUp;
    }
  }
  open_ = 0;
  under_inspection_ = 0;
  ends_ = {};
}

void Runner::finish_if_over(TimePoint now) {
  if (finished_ || next_arrival_ != kNever || open_ > 0) return;
  finished_ = true;
  figures_.duration = now - started_at_;
  const SetupCounts& setups = figures_.setups;
  const ReleaseCounts& releases = figures_.releases;
  XB_CHECK(setups.adds_up(), setups.attempted, setups.connected, setups.refused, setups.busy,
           setups.unanswered);
  XB_CHECK(releases.adds_up() && releases.attempted == setups.connected, releases.attempted,
           releases.released, releases.failed, releases.unanswered, setups.connected);
}

Progress Runner::progress(TimePoint now) const {
  Progress line;
  line.elapsed = finished_ ? figures_.duration : now - started_at_;
  // Once all are sent the rate stands still; the drain is no part of the offer.
  const double offering_s = seconds(next_arrival_ == kNever ? figures_.sent_span : line.elapsed);
  const auto sent = static_cast<double>(figures_.setups.attempted - figures_.shed);
  line.offered_per_s = offering_s > 0 ? sent / offering_s : 0;
  line.connected = figures_.setups.connected;
  line.refused = figures_.setups.refused;
  line.busy = figures_.setups.busy;
  line.unanswered = figures_.setups.unanswered;
  line.up = figures_.calls_up;
  line.setup_p50 = figures_.statistics.setup_latency.percentile(50);
  line.setup_p99 = figures_.statistics.setup_latency.percentile(99);
  return line;
}

}  // namespace xbind::callgen
