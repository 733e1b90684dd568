#include "keeper/wanted_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xbind::keeper {
namespace {

bool same(const Wanted& one, const Wanted& other) {
  return one.count == other.count && one.request == other.request;
}

}  // namespace

Entry::Entry(Wanted table, BackOff::Bounds retry)
    : wanted(std::move(table)),
      key(key_of(wanted.request)),
      calls(wanted.count),
      missing(wanted.count),
      back_off(retry) {}

std::string_view to_string(CallState state) {
  switch (state) {
    case CallState::kWaiting: return "waiting";
    case CallState::kSettingUp: return "setting-up";
    case CallState::kUp: return "up";
    case CallState::kBroken: return "broken";
    case CallState::kUnknown: return "unknown";
    case CallState::kIncomplete: return "incomplete";
  }
  return "unknown";
}

FileChange WantedCalls::replace(std::vector<Wanted> tables, std::vector<RequestId>& orphans) {
  std::vector<Entry> before = std::exchange(entries_, {});
  std::unordered_map<std::string, std::size_t> old_index;
  for (std::size_t i = 0; i < before.size(); ++i) old_index.emplace(before[i].wanted.name, i);
  by_key_.clear();
  bound_.clear();
  asked_.clear();
  std::ranges::fill(counts_, 0);

  FileChange change;
  for (Wanted& wanted : tables) {
    const auto index = static_cast<std::uint32_t>(entries_.size());
    Entry entry(std::move(wanted), retry_);
    counts_[static_cast<std::size_t>(CallState::kWaiting)] += entry.wanted.count;
    by_key_[entry.key].push_back(index);
    entries_.push_back(std::move(entry));
    Entry& now = entries_.back();
    const auto old = old_index.find(now.wanted.name);
    if (old == old_index.end()) {
      change.added.push_back(now.wanted.name);
      continue;
    }
    Entry& was = before[old->second];
    old_index.erase(old);
    if (same(was.wanted, now.wanted)) ++change.kept;
    if (!same(was.wanted, now.wanted)) change.changed.push_back(now.wanted.name);
    if (was.key != now.key) continue;
    now.back_off = was.back_off;
    now.refused = was.refused;
    now.next_try = was.next_try;
    now.refusals = was.refusals;
    now.last_refusal = was.last_refusal;
    now.refused_at = was.refused_at;
    take_over(was.calls, index);
  }
  for (Entry& was : before) {
    if (old_index.contains(was.wanted.name)) change.removed.push_back(was.wanted.name);
    if (const auto alike = by_key_.find(was.key); alike != by_key_.end()) {
      for (const std::uint32_t index : alike->second) take_over(was.calls, index);
    }
    for (const Call& call : was.calls) {
      if (call.request != RequestId{}) orphans.push_back(call.request);
    }
  }
  return change;
}

void WantedCalls::take_over(std::vector<Call>& from, std::uint32_t index) {
  std::vector<Call> left;
  for (const Call& call : from) {
    if (call.state == CallState::kWaiting) continue;
    if (const auto ref = missing_of(index)) {
      put(*ref, call);
    } else {
      left.push_back(call);
    }
  }
  from = std::move(left);
}

std::string WantedCalls::name(CallRef ref) const {
  const Wanted& wanted = entries_[ref.entry].wanted;
  return wanted.count == 1 ? wanted.name : fmt::format("{}/{}", wanted.name, ref.at + 1);
}

std::optional<CallRef> WantedCalls::of(ConnectionId connection) const {
  const auto found = bound_.find(connection);
  return found == bound_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<CallRef> WantedCalls::asked_by(RequestId request) const {
  const auto found = asked_.find(request);
  return found == asked_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<CallRef> WantedCalls::missing_of(const CallKey& key) {
  const auto alike = by_key_.find(key);
  if (alike == by_key_.end()) return std::nullopt;
  for (const std::uint32_t index : alike->second) {
    if (const auto ref = missing_of(index)) return ref;
  }
  return std::nullopt;
}

std::optional<CallRef> WantedCalls::missing_of(std::uint32_t index) {
  Entry& entry = entries_[index];
  if (entry.missing == 0) return std::nullopt;
  std::size_t& at = entry.first_missing;
  while (entry.calls[at].state != CallState::kWaiting) ++at;
  return CallRef{index, static_cast<std::uint32_t>(at)};
}

void WantedCalls::ask(CallRef ref, RequestId request, TimePoint now, std::uint64_t stamp) {
  Call call = entries_[ref.entry].calls[ref.at];
  call.request = request;
  call.state = CallState::kSettingUp;
  call.since = now;
  call.stamp = stamp;
  put(ref, call);
}

void WantedCalls::bind(CallRef ref, ConnectionId connection, CallState state, TimePoint now,
                       std::uint64_t stamp, std::string lacks) {
  Call call = entries_[ref.entry].calls[ref.at];
  if (call.state != state || call.connection != connection) call.since = now;
  call.connection = connection;
  call.request = RequestId{};
  call.state = state;
  call.stamp = stamp;
  call.lacks = std::move(lacks);
  put(ref, call);
}

void WantedCalls::lose(CallRef ref, TimePoint now, std::uint64_t stamp) {
  Call call;
  call.since = now;
  call.stamp = stamp;
  put(ref, call);
}

std::size_t WantedCalls::size() const {
  std::size_t all = 0;
  for (const std::size_t count : counts_) all += count;
  return all;
}

void WantedCalls::put(CallRef ref, const Call& call) {
  Entry& entry = entries_[ref.entry];
  Call& place = entry.calls[ref.at];
  if (place.connection != ConnectionId{}) bound_.erase(place.connection);
  if (place.request != RequestId{}) {
    asked_.erase(place.request);
    --entry.asked;
  }
  --counts_[static_cast<std::size_t>(place.state)];
  if (place.state == CallState::kWaiting) --entry.missing;

  place = call;
  if (place.connection != ConnectionId{}) bound_[place.connection] = ref;
  if (place.request != RequestId{}) {
    asked_[place.request] = ref;
    ++entry.asked;
  }
  ++counts_[static_cast<std::size_t>(place.state)];
  if (place.state == CallState::kWaiting) {
    ++entry.missing;
    entry.first_missing = std::min<std::size_t>(entry.first_missing, ref.at);
  }
}

}  // namespace xbind::keeper
