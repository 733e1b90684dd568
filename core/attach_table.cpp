#include "core/attach_table.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind {

using State = Attaching::State;

AttachTable::AttachTable(const Attaching::Policy& policy, const Limits& limits)
    : policy_(policy), limits_(limits) {
  XB_CHECK(
      limits.peers_max > 0 && limits.silent_at_once > 0 && limits.silent_at_once <= limits.at_once,
      limits.peers_max, limits.silent_at_once, limits.at_once);
}

Result<void> AttachTable::attach(const std::string& name, TimePoint now, double jitter, Lost lost) {
  auto known = peers_.find(name);
  if (known == peers_.end()) {
    if (peers_.size() >= limits_.peers_max) {
      return fail(ErrorCode::kExhausted, "peer '{}' is one more than {}", name, limits_.peers_max);
    }
    known = peers_.emplace(name, Peer{policy_}).first;
  }
  known->second.jitter = jitter;
  Attaching& attaching = known->second.attaching;
  // Not during an attempt, whose place is counted by what the peer was at its start.
  if (lost == Lost::kBySilence && attaching.state() != State::kAttempting) {
    known->second.silent = true;
  }
  if (attaching.state() == State::kIdle) {
    attaching.begin(now);
  } else {
    attaching.lost(now, jitter);
  }
  return {};
}

void AttachTable::give_up(const std::string& name) {
  const auto known = peers_.find(name);
  if (known == peers_.end()) return;
  Peer& peer = known->second;
  if (peer.attaching.state() == State::kAttempting) place_left(peer, peer.began);
  peer.attaching.stop();
}

std::optional<AttachTable::Due> AttachTable::take(TimePoint now) {
  for (auto& [name, peer] : peers_) {
    if (const auto overdue = peer.attaching.overdue(now)) failed(name, *overdue, now);
  }
  auto next = peers_.end();
  TimePoint earliest = kNever;
  for (auto it = peers_.begin(); it != peers_.end(); ++it) {
    const Peer& peer = it->second;
    const TimePoint due = peer.attaching.next_deadline();
    if (!is_waiting(peer) || due > now || due >= earliest || !has_place(peer)) continue;
    next = it;
    earliest = due;
  }
  if (next == peers_.end()) return std::nullopt;
  Peer& peer = next->second;
  peer.began = now;
  ++under_way_;
  if (peer.silent) ++silent_under_way_;
  return Due{next->first, *peer.attaching.take(now),
             peer.silent ? Attaching::kUnbounded : limits_.silent_after};
}

bool AttachTable::attached(const std::string& name, Attaching::Attempt attempt, TimePoint now) {
  const auto known = peers_.find(name);
  if (known == peers_.end() || !known->second.attaching.attached(attempt, now)) return false;
  place_left(known->second, now);
  return true;
}

bool AttachTable::failed(const std::string& name, Attaching::Attempt attempt, TimePoint now) {
  const auto known = peers_.find(name);
  if (known == peers_.end()) return false;
  Peer& peer = known->second;
  if (!peer.attaching.failed(attempt, now, peer.jitter)) return false;
  place_left(peer, now);
  return true;
}

TimePoint AttachTable::next_deadline() const {
  TimePoint next = kNever;
  for (const auto& [name, peer] : peers_) {
    // A peer without a place waits for the answer to another attempt, not for the clock.
    if (is_waiting(peer) && !has_place(peer)) continue;
    next = std::min(next, peer.attaching.next_deadline());
  }
  return next;
}

bool AttachTable::is_waiting(const Peer& peer) const {
  return peer.attaching.state() == State::kWaiting;
}

bool AttachTable::has_place(const Peer& peer) const {
  return under_way_ < limits_.at_once &&
         (!peer.silent || silent_under_way_ < limits_.silent_at_once);
}

void AttachTable::place_left(Peer& peer, TimePoint now) {
  --under_way_;
  if (peer.silent) --silent_under_way_;
  peer.silent = now - peer.began >= limits_.silent_after;
}

}  // namespace xbind
