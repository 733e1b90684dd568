// How a Runner handles answers, and how its calls and its run end; runner.cpp has the rest.
#include <algorithm>

#include "callgen/run/runner.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

// The outcome kind that completes the request.
OutcomeKind done_kind(RequestKind kind) {
  switch (kind) {
    case RequestKind::kSetup:
    case RequestKind::kCommit: return OutcomeKind::kConnected;
    case RequestKind::kRelease: return OutcomeKind::kReleased;
    case RequestKind::kModify: return OutcomeKind::kModified;
    case RequestKind::kAddLeaf: return OutcomeKind::kLeafAdded;
    case RequestKind::kDropLeaf: return OutcomeKind::kLeafDropped;
    case RequestKind::kHold: return OutcomeKind::kHeld;
  }
  XB_CHECK(false);
}

}  // namespace

// ===== answers ==================================================================================

void Runner::notice(const Notice& notice, TimePoint now) {
  now = clamp_to_latest(now);
  NoticeCounts& notices = figures_.notices;
  if (notices.all() == 0) first_notice_ = now;
  switch (notice.kind) {
    case NoticeKind::kBroken: ++notices.broken; break;
    case NoticeKind::kRerouted: ++notices.rerouted; break;
    case NoticeKind::kMended: ++notices.mended; break;
    case NoticeKind::kUnknown: ++notices.unknown; break;
    case NoticeKind::kIncomplete: ++notices.incomplete; break;
  }
  notices.span = now - first_notice_;
}

void Runner::outcome(const Outcome& outcome, TimePoint now, std::size_t manager) {
  now = clamp_to_latest(now);
  const std::uint64_t first = plan_.first_request.value();
  const std::uint64_t offset =
      outcome.request.value() - first;  // wraps to a huge value below `first`
  const CallIndex index = only_setups_ ? offset / 2 : offset / 4;
  const Step step =
      only_setups_ ? (offset % 2 == 0 ? kBegin : kEnd) : static_cast<Step>(offset % 4);
  if (index >= offer_.offered() || manager_of(index) != manager) {
    ++figures_.odd.unknown;
    return;
  }
  const Slot slot = calls_.find(index);
  if (slot == Calls::kNowhere) {  // over and forgotten: it was answered
    ++figures_.odd.repeated;
    return;
  }
  const Call& call = calls_[slot];
  if (!call.was_sent.has(step))
    ++figures_.odd.unknown;
  else if (call.was_answered.has(step))
    answered_before(call, step, outcome);
  else if (call.given_up)
    ++figures_.odd.late;
  else
    step_answered(slot, outcome, now);
  finish_if_over(now);
}

void Runner::step_answered(Slot slot, const Outcome& outcome, TimePoint now) {
  Call& call = calls_[slot];
  const RequestKind kind = kind_of(call.scenario, call.step);
  const bool done = outcome.kind == done_kind(kind);
  const bool busy = outcome.kind == OutcomeKind::kBusy;
  const bool fits = done || busy || outcome.kind == OutcomeKind::kRefused;
  const bool other_one =
      done && kind == RequestKind::kCommit && outcome.connection != call.connection;
  if (!fits || other_one) {
    ++figures_.odd.contradicted;
    return;
  }
  const Ended ended = done ? Ended::kDone : busy ? Ended::kBusy : Ended::kRefused;
  RequestCounts& counts = counts_of(kind);
  ++(done ? counts.done : busy ? counts.busy : counts.refused);
  call.was_answered.add(call.step);
  if (done) call.was_done.add(call.step);
  record(calls_.index_of(slot), call, ended, now - started_at_, &outcome);
  after_step(slot, kind, ended, outcome, now);
}

void Runner::after_step(Slot slot, RequestKind kind, Ended ended, const Outcome& outcome,
                        TimePoint now) {
  Call& call = calls_[slot];
  const bool done = ended == Ended::kDone;
  switch (kind) {
    case RequestKind::kSetup:
    case RequestKind::kCommit:
      done ? connected(slot, outcome, now) : not_set_up(slot, ended, outcome, now);
      return;
    case RequestKind::kHold:
      if (!done) {
        not_set_up(slot, ended, outcome, now);
        return;
      }
      call.connection = outcome.connection;
      plan_step(slot, kFirst,
                now + std::min<Duration>(call.hold, std::chrono::milliseconds{plan_.hold_ms}) / 2);
      return;
    case RequestKind::kAddLeaf:
    case RequestKind::kModify:
    case RequestKind::kDropLeaf:
      if (ended == Ended::kRefused) figures_.change_refusals.count(outcome);
      if (kind == RequestKind::kAddLeaf && done)
        plan_step(slot, kSecond, std::max(now, call.connected_at + 2 * (call.hold / 3)));
      else
        plan_step(slot, kEnd, std::max(now, call.connected_at + call.hold));
      return;
    case RequestKind::kRelease:
      if (done) {
        ++figures_.releases.released;
      } else {
        ++figures_.releases.failed;
        figures_.release_failures.count(outcome);
      }
      --figures_.calls_up;
      call_over(slot, done, now);
      return;
  }
}

void Runner::not_set_up(Slot slot, Ended ended, const Outcome& outcome, TimePoint now) {
  if (ended == Ended::kBusy) {
    ++figures_.setups.busy;
  } else {
    ++figures_.setups.refused;
    figures_.refusals.count(outcome);
  }
  call_over(slot, false, now);
}

void Runner::connected(Slot slot, const Outcome& outcome, TimePoint now) {
  Call& call = calls_[slot];
  ++figures_.setups.connected;
  figures_.calls_up_peak = std::max(figures_.calls_up_peak, ++figures_.calls_up);
  call.up = true;
  call.connection = outcome.connection;
  call.connected_at = now;
  if (inspector_ != nullptr) {
    call.inspected = inspector_->connected(calls_.index_of(slot), outcome, now,
                                           call.scenario == Scenario::kSetup);
    if (call.inspected) ++under_inspection_;
  }
  switch (call.scenario) {
    case Scenario::kModify: plan_step(slot, kFirst, now + call.hold / 2); return;
    case Scenario::kLeaf: plan_step(slot, kFirst, now + call.hold / 3); return;
    case Scenario::kSetup:
    case Scenario::kHold: plan_step(slot, kEnd, now + call.hold); return;
  }
}

void Runner::record(CallIndex index, const Call& call, Ended ended, Duration answered,
                    const Outcome* outcome) {
  RequestRecord record;
  record.call = index;
  record.kind = kind_of(call.scenario, call.step);
  record.ended = ended;
  record.manager = static_cast<std::uint32_t>(manager_of(index));
  record.planned = call.intended - started_at_;
  if (call.was_sent.has(call.step)) record.sent = call.sent - started_at_;
  record.answered = answered;
  if (outcome != nullptr && ended != Ended::kDone) {
    record.cause = outcome->cause;
    record.element = outcome->element;
  }
  figures_.statistics.take(record);
  if (!figures_.phases.empty()) figures_.phases[call.phase].take(record);
  if (!figures_.classes.empty()) figures_.classes[call.call_class].take(record);
  if (sink_ != nullptr) sink_->take(record);
}

// Another answer to a request of a call that is still open, or was given up.
void Runner::answered_before(const Call& call, Step step, const Outcome& outcome) {
  const RequestKind kind = kind_of(call.scenario, step);
  const bool no = outcome.kind == OutcomeKind::kRefused || outcome.kind == OutcomeKind::kBusy;
  const bool names_it =
      kind == RequestKind::kSetup || kind == RequestKind::kHold || kind == RequestKind::kCommit;
  const bool same =
      call.was_done.has(step)
          ? outcome.kind == done_kind(kind) && (!names_it || outcome.connection == call.connection)
          : no;
  ++(same ? figures_.odd.repeated : figures_.odd.contradicted);
}

// ===== ends =====================================================================================

void Runner::call_over(Slot slot, bool released, TimePoint now) {
  if (inspector_ != nullptr) inspector_->over(calls_.index_of(slot), released, now);
  calls_.erase(slot);
  --open_;
  if (!figures_.target_lost) offer_.previous_over(now);
}

void Runner::inspected(std::uint64_t index, TimePoint now) {
  now = clamp_to_latest(now);
  const Slot slot = calls_.find(index);
  if (slot == Calls::kNowhere || !calls_[slot].inspected) return;
  calls_[slot].inspected = false;
  --under_inspection_;
  plan_step(slot, kEnd, std::max(calls_[slot].intended, now));
}

void Runner::target_lost(TimePoint now) {
  if (finished_ || !started_) return;
  now = clamp_to_latest(now);
  figures_.target_lost = true;
  offer_.stop();
  give_up_open_calls();
  finish_if_over(now);
}

void Runner::give_up(Slot slot) {
  Call& call = calls_[slot];
  const CallIndex index = calls_.index_of(slot);
  const auto unanswered = [&](Step step) {
    call.step = step;
    RequestCounts& counts = counts_of(kind_of(call.scenario, step));
    if (!call.was_sent.has(step)) ++counts.attempted;
    ++counts.unanswered;
    record(index, call, Ended::kUnanswered, RequestRecord::kNever, nullptr);
  };
  call.given_up = true;
  call.inspected = false;
  if (!call.up) {
    ++figures_.setups.unanswered;
    unanswered(call.step);  // a setup, a hold, or a commit even if not yet sent
    return;
  }
  const bool under_way = call.was_sent.has(call.step) && !call.was_answered.has(call.step);
  if (call.step != kEnd) {
    if (under_way) unanswered(call.step);
    call.intended = std::max(call.intended, call.connected_at + call.hold);
  }
  if (!call.was_sent.has(kEnd)) ++figures_.releases.attempted;
  ++figures_.releases.unanswered;
  unanswered(kEnd);
}

void Runner::give_up_open_calls() {
  calls_.for_each([this](Slot slot) {
    if (!calls_[slot].given_up) give_up(slot);
  });
  open_ = 0;
  under_inspection_ = 0;
  steps_.clear();
}

void Runner::finish_if_over(TimePoint now) {
  if (finished_ || offer_.pending() || open_ > 0) return;
  finished_ = true;
  note_offer();
  // A run may be stopped before time zero.
  figures_.duration = std::max(Duration::zero(), now - started_at_);
  const SetupCounts& setups = figures_.setups;
  const ReleaseCounts& releases = figures_.releases;
  XB_CHECK(setups.adds_up(), setups.attempted, setups.connected, setups.refused, setups.busy,
           setups.unanswered);
  XB_CHECK(releases.adds_up() && releases.attempted == setups.connected, releases.attempted,
           releases.released, releases.failed, releases.unanswered, setups.connected);
  for (const RequestCounts& counts : figures_.requests)
    XB_CHECK(counts.adds_up(), counts.attempted, counts.done, counts.refused, counts.busy,
             counts.unanswered);
}

}  // namespace xbind::callgen
