#include "core/alarms/alarm_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/alarms/alarm_kinds.hpp"
#include "core/name.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kRaisePercent = 95;
constexpr std::uint64_t kKeepPercent = 90;

// taken / size >= percent / 100, for sizes that come from the wire.
bool reaches(std::uint64_t taken, std::uint64_t size, std::uint64_t percent) {
  return static_cast<double>(taken) * 100 >=
         static_cast<double>(size) * static_cast<double>(percent);
}

}  // namespace

std::vector<AlarmChange> AlarmTable::look(std::span<const AlarmCondition> conditions,
                                          const Moment& at) {
  for (auto& [key, entry] : entries_) entry.seen = false;
  left_out_ = 0;
  for (const AlarmCondition& condition : conditions) see(condition, at);
  if (left_out_ > 0) {
    see({AlarmKind::kAlarmsLeftOut, "list",
         fmt::format("more than {} states are alarming at a time", kRaisedMax)},
        at);
  }
  std::vector<AlarmChange> changes;
  raise_or_clear(at, changes);
  return changes;
}

void AlarmTable::see(const AlarmCondition& condition, const Moment& at) {
  Key key{condition.kind, printable(condition.object, kObjectOctetsMax)};
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (condition.keeps_only) return;
    if (entries_.size() >= kRaisedMax && condition.kind != AlarmKind::kAlarmsLeftOut) {
      ++left_out_;
      return;
    }
    Entry fresh;
    fresh.alarm.kind = key.first;
    fresh.alarm.object = key.second;
    fresh.began = at.now;
    found = entries_.emplace(std::move(key), std::move(fresh)).first;
  }
  Entry& entry = found->second;
  const bool raised = entry.alarm.id != 0;
  if (condition.keeps_only && !raised) return;
  entry.seen = true;
  std::string cause = printable(condition.cause, kCauseOctetsMax);
  if (entry.over_since.has_value()) {
    entry.over_since.reset();
    ++entry.alarm.times;
    entry.alarm.changed_ms = at.utc_ms;
  }
  if (cause != entry.alarm.cause) {
    entry.alarm.cause = std::move(cause);
    entry.alarm.changed_ms = at.utc_ms;
  }
}

void AlarmTable::raise_or_clear(const Moment& at, std::vector<AlarmChange>& changes) {
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto here = next++;
    Entry& entry = here->second;
    const AlarmHold hold = row_of(entry.alarm.kind).hold;
    if (entry.seen) {
      if (entry.alarm.id != 0 || at.now - entry.began < raised_after(hold)) continue;
      entry.alarm.id = next_id_++;
      entry.alarm.raised_ms = entry.alarm.changed_ms = at.utc_ms;
      changes.push_back({AlarmChange::What::kRaised, entry.alarm});
      continue;
    }
    if (!entry.over_since) entry.over_since = at.now;
    if (at.now - *entry.over_since < cleared_after(hold)) continue;
    if (entry.alarm.id != 0) {
      entry.alarm.cleared_ms = entry.alarm.changed_ms = at.utc_ms;
      changes.push_back({AlarmChange::What::kCleared, entry.alarm});
      cleared_.push_back(std::move(entry.alarm));
      if (cleared_.size() > kClearedMax) cleared_.pop_front();
    }
    entries_.erase(here);
  }
}

std::vector<Alarm> AlarmTable::page(std::uint64_t after, std::size_t limit,
                                    bool cleared_too) const {
  std::vector<const Alarm*> those;
  for (const auto& [key, entry] : entries_) {
    if (entry.alarm.id > after) those.push_back(&entry.alarm);
  }
  for (const Alarm& alarm : cleared_) {
    if (cleared_too && alarm.id > after) those.push_back(&alarm);
  }
  std::ranges::sort(those, {}, &Alarm::id);
  if (those.size() > limit) those.resize(limit);
  std::vector<Alarm> page;
  page.reserve(those.size());
  for (const Alarm* const alarm : those) page.push_back(*alarm);
  return page;
}

Result<Alarm*> AlarmTable::at(std::uint64_t id) {
  if (id != 0) {  // entries without an id are not raised yet
    for (auto& [key, entry] : entries_) {
      if (entry.alarm.id == id) return &entry.alarm;
    }
    for (Alarm& alarm : cleared_) {
      if (alarm.id == id) return &alarm;
    }
  }
  return fail(ErrorCode::kNotFound, "there is no alarm {}", id);
}

Result<Alarm> AlarmTable::acknowledge(std::uint64_t id, const std::string& who,
                                      const std::string& note, std::uint64_t utc_ms) {
  if (who.empty() || who.size() > kWhoOctetsMax) {
    return fail(ErrorCode::kBadInput, "who has {} octets; 1 to {} are allowed", who.size(),
                kWhoOctetsMax);
  }
  if (note.size() > kNoteOctetsMax) {
    return fail(ErrorCode::kBadInput, "the note has {} octets; at most {} are allowed", note.size(),
                kNoteOctetsMax);
  }
  const Result<Alarm*> found = at(id);
  if (!found) return tl::make_unexpected(found.error());
  Alarm& alarm = **found;
  // Escapes make a text longer.
  alarm.acknowledged_by = printable(who, 4 * kWhoOctetsMax);
  alarm.acknowledged_ms = utc_ms;
  alarm.note = printable(note, 4 * kNoteOctetsMax);
  return alarm;
}

Result<void> AlarmTable::unacknowledge(std::uint64_t id) {
  const Result<Alarm*> found = at(id);
  if (!found) return tl::make_unexpected(found.error());
  (*found)->acknowledged_by.clear();
  (*found)->acknowledged_ms = 0;
  (*found)->note.clear();
  return {};
}

std::size_t AlarmTable::raised(AlarmKind kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const auto& one) {
    return one.second.alarm.kind == kind && one.second.alarm.id != 0;
  }));
}

std::optional<AlarmCondition> nearly_full(AlarmKind kind, std::string object, std::uint64_t taken,
                                          std::uint64_t size, std::string_view unit) {
  if (size == 0 || !reaches(taken, size, kKeepPercent)) return std::nullopt;
  const double percent = 100 * static_cast<double>(taken) / static_cast<double>(size);
  return AlarmCondition{kind, std::move(object),
                        fmt::format("{:.0f} % of {} {} are taken", percent, size, unit),
                        !reaches(taken, size, kRaisePercent)};
}

}  // namespace xbind
