#include "keeper/keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.hpp"
#include "core/log.hpp"

namespace xbind::keeper {
namespace {

double in_s(Duration duration) {
  return std::chrono::duration_cast<std::chrono::duration<double>>(duration).count();
}

void log_change(const FileChange& change) {
  for (const std::string& name : change.added) log::info("connection {}: added", name);
  for (const std::string& name : change.removed) log::info("connection {}: removed", name);
  for (const std::string& name : change.changed) log::info("connection {}: changed", name);
}

std::optional<CallState> state_after(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::kBroken: return CallState::kBroken;
    case NoticeKind::kRerouted:
    case NoticeKind::kMended: return CallState::kUp;
    case NoticeKind::kUnknown: return CallState::kUnknown;
    case NoticeKind::kIncomplete: return CallState::kIncomplete;
  }
  return std::nullopt;
}

}  // namespace

Keeper::Keeper(const Limits& limits, std::uint32_t first_attempt)
    : limits_(limits),
      attempt_(first_attempt),
      looks_(limits.check, kKeeperTimers["look-pause"]),
      wanted_(limits.retry) {
  XB_CHECK(limits.at_once > 0);
}

FileChange Keeper::want(std::vector<Wanted> tables, TimePoint now) {
  const bool first = wanted_.size() == 0;
  std::vector<RequestId> orphans;
  FileChange change = wanted_.replace(std::move(tables), orphans);
  orphans_.insert(orphans.begin(), orphans.end());
  turns_.reset(wanted_.entries().size());
  for (std::uint32_t i = 0; i < turns_.entries(); ++i) queue(i);
  // The next look finds the calls that are too much, and those that serve a new table.
  surplus_.clear();
  looks_.forget();
  looks_.soon(now);
  if (!first) log_change(change);
  ++revision_;
  return change;
}

void Keeper::attached(TimePoint now) {
  ++counters_.sessions;
  looks_.attached(now);
  patience_ends_ = now + limits_.unread_patience;
  // The reasons of earlier refusals may have gone with the session.
  for (std::uint32_t i = 0; i < turns_.entries(); ++i) {
    Entry& entry = wanted_.entry(i);
    entry.next_try = std::min(entry.next_try, now);
    queue(i);
  }
  ++revision_;
}

void Keeper::detached() {
  looks_.detached();
  surplus_.clear();
  ++revision_;
}

void Keeper::noticed(const Notice& notice, TimePoint now) {
  looks_.soon(now);
  const auto ref = wanted_.of(notice.connection);
  const auto state = state_after(notice.kind);
  if (!ref || !state) return;
  log::info("connection {}: call {} is {}{}{}", wanted_.name(*ref), notice.connection,
            to_string(notice.kind), notice.element.empty() ? "" : ": ", notice.element);
  wanted_.bind(*ref, notice.connection, *state, now, looks_.stamp(),
               *state == CallState::kIncomplete ? notice.element : std::string{});
  ++revision_;
  report_complete();
}

// ===== looks =====

void Keeper::looked(const std::vector<ListedCall>& calls, std::uint64_t unread, TimePoint now) {
  if (!looks_.ended(true, now)) return;
  if (unread > 0 && unread_ != unread) {
    log::info(
        "the manager has not read {} {} since its restart; no call is set up before, or "
        "before {:.0f} s have passed",
        unread, unread == 1 ? "switch" : "switches", in_s(limits_.unread_patience));
  }
  unread_ = unread;
  match(calls, now);
  report_complete();
}

void Keeper::look_failed(TimePoint now) {
  ++counters_.looks_failed;
  looks_.ended(false, now);
}

void Keeper::match(const std::vector<ListedCall>& calls, TimePoint now) {
  std::erase_if(released_, [this](const auto& it) { return looks_.judges(it.second); });
  surplus_.clear();
  listed_ = 0;
  std::unordered_set<ConnectionId> seen;
  // Calls that are known come first: a further one of the same key must not take their place.
  std::vector<const ListedCall*> others;
  for (const ListedCall& listed : calls) {
    if (listed.phase == ListedCall::Phase::kGoing) continue;
    ++listed_;
    const auto ref = wanted_.of(listed.connection);
    if (ref) {
      seen.insert(listed.connection);
      see(*ref, listed, now);
    } else {
      others.push_back(&listed);
    }
  }
  lose_unseen(seen, now);
  for (const ListedCall* listed : others) adopt(*listed, now);
}

void Keeper::see(CallRef ref, const ListedCall& listed, TimePoint now) {
  const Call& call = wanted_.call(ref);
  if (!looks_.judges(call.stamp)) return;
  const CallState state =
      listed.phase == ListedCall::Phase::kComing ? CallState::kSettingUp : listed.state;
  if (state == call.state && listed.lacks == call.lacks) return;
  log::info("connection {}: call {} is {}{}", wanted_.name(ref), listed.connection,
            to_string(state), listed.lacks.empty() ? "" : " at " + listed.lacks);
  wanted_.bind(ref, listed.connection, state, now, call.stamp, listed.lacks);
  ++revision_;
}

void Keeper::lose_unseen(const std::unordered_set<ConnectionId>& seen, TimePoint now) {
  for (std::uint32_t index = 0; index < wanted_.entries().size(); ++index) {
    const std::size_t calls = wanted_.entries()[index].calls.size();
    for (std::uint32_t at = 0; at < calls; ++at) {
      const CallRef ref{index, at};
      const Call call = wanted_.call(ref);
      if (call.connection == ConnectionId{} || seen.contains(call.connection)) continue;
      if (!looks_.judges(call.stamp)) continue;
      log::warn("connection {}: call {} is gone; another one is set up", wanted_.name(ref),
                call.connection);
      wanted_.lose(ref, now, looks_.stamp());
      ++counters_.calls_lost;
      ++revision_;
    }
    queue(index);
  }
}

// A call that no table is known to have: of an earlier run of the keeper, or not wanted.
void Keeper::adopt(const ListedCall& listed, TimePoint now) {
  // The answer decides.
  if (wanted_.asked_by(listed.request) || orphans_.contains(listed.request)) return;
  if (released_.contains(listed.connection)) return;
  const bool releasing = std::ranges::any_of(
      releases_, [&](const auto& release) { return release.second == listed.connection; });
  if (releasing) return;
  const auto place = wanted_.missing_of(key_of(listed.from, listed.to, listed.request));
  if (place) {
    const bool coming = listed.phase == ListedCall::Phase::kComing;
    const CallState state = coming ? CallState::kSettingUp : listed.state;
    wanted_.bind(*place, listed.connection, state, now, looks_.stamp(), listed.lacks);
    log::info("connection {}: found as call {}, {}", wanted_.name(*place), listed.connection,
              to_string(state));
    queue(place->entry);
    ++revision_;
  } else if (listed.phase == ListedCall::Phase::kThere) {
    surplus_.push_back(listed.connection);
  }
  // Else a later look finds it, when it is there.
}

// ===== requests =====

Keeper::Work Keeper::step(TimePoint now) {
  Work work;
  if (looks_.due(now)) {
    looks_.begin();
    ++counters_.looks;
    work.look = true;
  }
  if (!looks_.current()) return work;
  while (!surplus_.empty() && room()) {
    const RequestId number = release_number(++attempt_ == 0 ? ++attempt_ : attempt_);
    releases_.emplace(number, surplus_.back());
    work.requests.emplace_back(ReleaseRequest{number, surplus_.back()});
    surplus_.pop_back();
    ++counters_.releases;
  }
  // Setups wait for releases: what is too much may have what a setup needs.
  if (!releases_.empty() || held_back(now)) return work;
  while (room()) {
    const auto entry = turns_.first(now);
    if (!entry) break;
    set_up(*entry, work, now);
  }
  return work;
}

void Keeper::set_up(std::uint32_t index, Work& work, TimePoint now) {
  const CallRef ref = wanted_.missing_of(index).value();
  const Entry& entry = wanted_.entries()[index];
  ConnectRequest request = entry.wanted.request;
  request.request = setup_number(entry.key, ++attempt_);
  wanted_.ask(ref, request.request, now, looks_.stamp());
  ++asked_;
  ++counters_.setups;
  ++revision_;
  work.requests.emplace_back(std::move(request));
  queue(index);
}

void Keeper::answered(RequestId request, const client::Answer& answer, TimePoint now) {
  ++revision_;
  if (const auto release = releases_.find(request); release != releases_.end()) {
    const ConnectionId connection = release->second;
    releases_.erase(release);
    release_answered(connection, answer, now);
    return;
  }
  const auto ref = wanted_.asked_by(request);
  const bool orphan = orphans_.erase(request) != 0;
  if (!ref && !orphan) return;
  --asked_;
  if (!answer) {
    ++counters_.setups_unanswered;
  } else {
    ++(answer->kind == OutcomeKind::kConnected ? counters_.setups_connected
                                               : counters_.setups_refused);
  }
  if (ref) {
    set_up_answered(*ref, answer, now);
  } else {
    looks_.soon(now);  // finds the call, if there is one, and releases it
  }
  report_complete();
}

void Keeper::set_up_answered(CallRef ref, const client::Answer& answer, TimePoint now) {
  if (!answer) {
    // Whether there is a call is not known: nothing is set up before the next look.
    looks_.forget();
    looks_.soon(now);
    refuse(ref, answer.error().text, Duration::zero(), now);
    return;
  }
  if (answer->kind == OutcomeKind::kBusy && answer->connection != ConnectionId{}) {
    // An earlier process of the manager has set it up, and this one does not know all of its hops.
    log::info("connection {}: call {} is incomplete: {}", wanted_.name(ref), answer->connection,
              explain(*answer));
    wanted_.bind(ref, answer->connection, CallState::kIncomplete, now, looks_.stamp(),
                 answer->element);
    looks_.soon(now);
    queue(ref.entry);
    return;
  }
  if (answer->kind != OutcomeKind::kConnected) {
    refuse(ref, explain(*answer), std::chrono::milliseconds(answer->retry_after_ms), now);
    return;
  }
  log::info("connection {}: set up as call {}", wanted_.name(ref), answer->connection);
  wanted_.bind(ref, answer->connection, CallState::kUp, now, looks_.stamp());
  Entry& entry = wanted_.entry(ref.entry);
  entry.back_off.reset();
  entry.refused = false;
  entry.last_refusal.clear();
  queue(ref.entry);
}

void Keeper::refuse(CallRef ref, const std::string& why, Duration at_least, TimePoint now) {
  wanted_.lose(ref, now, looks_.stamp());
  Entry& entry = wanted_.entry(ref.entry);
  // Of several setups that were sent together and refused, the first one prolongs the wait.
  if (now >= entry.next_try) entry.next_try = now + std::max(entry.back_off.next(), at_least);
  entry.refused = true;
  ++entry.refusals;
  entry.last_refusal = why;
  entry.refused_at = now;
  log::warn("connection {}: {}; next try in {:.1f} s", wanted_.name(ref), why,
            in_s(entry.next_try - now));
  queue(ref.entry);
}

void Keeper::release_answered(ConnectionId connection, const client::Answer& answer,
                              TimePoint now) {
  if (answer && answer->kind == OutcomeKind::kReleased) {
    log::info("call {}: released; no connection of the file needs it", connection);
    released_.emplace(connection, looks_.stamp());
  } else {
    ++counters_.releases_failed;
    log::warn("call {}: not released: {}; the next look tries again", connection,
              answer ? explain(*answer) : answer.error().text);
  }
  if (wanted_.entries().empty() && releases_.empty() && surplus_.empty()) looks_.soon(now);
}

void Keeper::queue(std::uint32_t index) {
  const Entry& entry = wanted_.entries()[index];
  if (entry.missing == 0 || (entry.refused && entry.asked > 0)) {
    turns_.remove(index);
  } else {
    turns_.put(index, entry.next_try, entry.wanted.request.priority);
  }
}

TimePoint Keeper::next_deadline() const {
  TimePoint next = looks_.deadline();
  if (!looks_.current() || !releases_.empty() || !room()) return next;
  TimePoint turn = turns_.deadline();
  if (unread_ > 0) turn = std::max(turn, patience_ends_);
  return std::min(next, turn);
}

// ===== status =====

bool Keeper::nothing_left() const {
  return wanted_.entries().empty() && looks_.current() && listed_ == 0 && asked_ == 0 &&
         releases_.empty();
}

void Keeper::report_complete() {
  if (wanted_.size() == 0) return;
  const bool complete = wanted_.count(CallState::kUp) == wanted_.size();
  if (complete && !complete_) log::info("all {} calls are up", wanted_.size());
  if (!complete && complete_) {
    log::info("{} of {} calls are up", wanted_.count(CallState::kUp), wanted_.size());
  }
  complete_ = complete;
}

}  // namespace xbind::keeper
