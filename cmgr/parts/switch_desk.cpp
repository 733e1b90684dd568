#include "cmgr/parts/switch_desk.hpp"

#include <algorithm>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

Result<SwitchIndex> SwitchDesk::index_of(const std::string& name) {
  if (size() >= kSwitches && !by_name_.contains(name)) {
    return fail(ErrorCode::kExhausted,
                "switch '{}' is one more than the {} whose names the manager can know; those of "
                "removed switches count until it is started again",
                name, kSwitches);
  }
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    if (std::exchange(states_[known->second.value()].gone, false)) {
      peers_.attach_switch(name, AttachTable::Lost::kNothing);
    }
    return known->second;
  }
  const SwitchIndex index = queues_.add(name);
  by_name_.emplace(name, index);
  caches_.add_switch();
  debts_.add_switch();
  states_.emplace_back();
  peers_.attach_switch(name, AttachTable::Lost::kNothing);
  return index;
}

bool SwitchDesk::let_go(SwitchIndex index) {
  if (!debts_.none_at(index)) return false;
  const SwitchLine& line = queues_.at(index);
  if (line.link && (line.link->unconfirmed() != 0 || !line.queue.empty())) return false;
  end_session(index);
  states_[index.value()].gone = true;
  peers_.let_go_of_switch(line.name);
  return true;
}

std::optional<SwitchIndex> SwitchDesk::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void SwitchDesk::attached(SwitchIndex index, SessionId session, std::uint32_t batches_in_flight,
                          const std::vector<PortLabels>& quarantined, TimePoint now) {
  State& state = states_[index.value()];
  end_session(index);
  debts_.session_begins(index);
  queues_.begin_session(index, session, batches_in_flight, now);
  by_session_[session] = index;
  std::size_t quarantine = 0;
  for (const PortLabels& port : quarantined) quarantine += port.labels.size();
  log::sessions.info(
      "switchserver {} attached, session {}, {} of this manager's labels in quarantine there",
      name(index), session, quarantine);
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionAttached, "switchserver " + name(index),
                 fmt::format("session {}", session));
  }
  if (config_.label_policy != LabelPolicy::kFixed || config_.quotas) {
    trim_due_ = std::min(trim_due_, now + kTrim);
  }
  if (state.claims_end) {
    state.claims_due = now;
  } else if (state.entries_pause != Duration::zero()) {
    state.entries_pause = kDebtRetry;
    state.claims_due = now + kDebtRetry;
  }
  if (!planted(Bug::kDebtsNotSent)) debts_.send(index, now);
}

// Each new session says it again, so an answer of an earlier one decides nothing.
void SwitchDesk::claims_finished(SwitchIndex index, SessionId session, bool heard, TimePoint now) {
  if (queues_.at(index).session != session) return;
  State& state = states_[index.value()];
  state.claims_end = state.claims_end && !heard;
  if (state.claims_end) state.claims_due = now + kDebtRetry;
  if (!heard && !state.claims_end && state.entries_pause != Duration::zero()) {
    entries_known(index, false, now);
  }
}

void SwitchDesk::entries_known(SwitchIndex index, bool known, TimePoint now) {
  State& state = states_[index.value()];
  if (known) {
    state.entries_pause = {};
    return;
  }
  state.entries_pause = std::clamp(2 * state.entries_pause, kDebtRetry, kEntriesPauseMax);
  if (is_attached(index)) state.claims_due = std::min(state.claims_due, now + state.entries_pause);
}

void SwitchDesk::lost(SwitchIndex index, std::string_view reason) {
  if (!is_attached(index)) return;
  log::sessions.warn("switchserver {}: {}; the session is over", name(index), reason);
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionEnded, "switchserver " + name(index), printable(reason, 500));
  }
  ++sessions_lost_;
  end_session(index);
}

std::optional<SwitchIndex> SwitchDesk::by_session(SessionId session) const {
  const auto found = by_session_.find(session);
  if (found == by_session_.end()) return std::nullopt;
  return found->second;
}

Result<void> SwitchDesk::receive(SwitchIndex index, session::Frame<HopResultBatch> frame,
                                 TimePoint now,
                                 std::vector<std::shared_ptr<const HopResultBatch>>& apply) {
  ++frames_in_;
  return queues_.at(index).link->receive(std::move(frame), now, apply);
}

void SwitchDesk::labels_on_their_way(SwitchIndex index,
                                     std::vector<std::pair<PortId, Label>>& out) const {
  for (const PortLabels& returning : queues_.at(index).queue.returning()) {
    for (const Label label : returning.labels) out.emplace_back(returning.port, label);
  }
  for (const auto& owed : debts_.owed_labels(index)) out.emplace_back(owed->port, owed->label);
}

std::vector<SwitchDesk::Ended> SwitchDesk::tick(TimePoint now) {
  if (trim_due_ <= now) {
    caches_.trim(now);
    trim_due_ = by_session_.empty() ? kNever : now + kTrim;
  }
  std::vector<Ended> ended;
  queues_.count_batches();
  for (const auto& line : queues_.lines()) {
    if (!line->link) continue;
    const SwitchIndex index = line->index;
    if (const auto ticked = queues_.tick(*line, now); !ticked) {
      lost(index, ticked.error().text);
      ended.push_back({index, AttachTable::Lost::kBySilence});
      continue;
    }
    if (states_[index.value()].claims_due <= now) finish_claims(index);
    if (debts_.due(index) <= now) debts_.send(index, now);
    if (debts_.must_attach_again(index)) {
      lost(index, "no answer names the labels of removed hops");
      ended.push_back({index, AttachTable::Lost::kNothing});
      continue;
    }
    queues_.send_due(*line, now, true);
  }
  return ended;
}

TimePoint SwitchDesk::next_deadline() const {
  TimePoint due = std::min(trim_due_, queues_.next_deadline());
  for (const auto& line : queues_.lines()) {
    if (!line->link) continue;
    due = std::min({due, debts_.due(line->index), states_[line->index.value()].claims_due});
  }
  return due;
}

SwitchDesk::Counters SwitchDesk::counters() const {
  Counters sum;
  sum.frames_in = frames_in_;
  sum.sessions_lost = sessions_lost_;
  queues_.add_to(sum);
  caches_.add_to(sum);
  debts_.add_to(sum);
  return sum;
}

void SwitchDesk::end_session(SwitchIndex index) {
  if (!is_attached(index)) return;
  const SessionId over = queues_.at(index).session;
  by_session_.erase(over);
  peers_.switch_session_over(over);
  queues_.end_session(index);
  states_[index.value()].claims_due = kNever;
  debts_.session_over(index);
  caches_.lapse(index);
}

}  // namespace xbind::cmgr
