// The kinds of alarms: one row for each, from which the daemons, xbindctl, the metrics and
// docs/operating.md take name, severity and texts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/alarms/alarm.hpp"

namespace xbind {

// How long a state must hold before its alarm is raised, and be over before it is cleared. A state
// that comes and goes keeps its alarm raised.
enum class AlarmHold : std::uint8_t {
  kState,    // raised and cleared after seconds
  kSlow,     // normal for a while: raised after a minute
  kCounted,  // something was counted: raised at once, cleared when nothing was for minutes
};

struct AlarmKindRow {
  AlarmKind kind;
  std::string_view name;  // stable: lower-case words with hyphens
  AlarmSeverity severity;
  AlarmHold hold;
  std::string_view raised_by;  // daemons: "SwitchServer"
  std::string_view object;     // what the alarm names: "the switch"
  std::string_view meaning;    // a sentence
  std::string_view repair;     // what to do; sentences
};

inline constexpr std::size_t kAlarmKinds = static_cast<std::size_t>(kAlarmKindLast) + 1;

// In the order of the enumerators.
const std::array<AlarmKindRow, kAlarmKinds>& alarm_kinds();
const AlarmKindRow& row_of(AlarmKind kind);
// nullopt: no kind has this name.
std::optional<AlarmKind> alarm_kind_of(std::string_view name);

Duration raised_after(AlarmHold hold);
Duration cleared_after(AlarmHold hold);

}  // namespace xbind
