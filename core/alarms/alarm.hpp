// Alarms: states of the network or of a daemon that an operator should know (ITU-T X.733, RFC
// 3877). Plain values; alarm_table.hpp decides when one is raised and cleared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/clock.hpp"

namespace xbind {

// Perceived severity: the numbers of ITUPerceivedSeverity (RFC 3877) and of idl/operations.idl.
enum class AlarmSeverity : std::uint8_t {
  kCritical = 3,  // calls are lost or refused now
  kMajor = 4,     // calls are refused, or have no other way left
  kMinor = 5,     // no call suffers yet; it will if nothing is done
  kWarning = 6,   // an operator has arranged it, or should know it
};
constexpr std::string_view to_string(AlarmSeverity severity) {
  switch (severity) {
    case AlarmSeverity::kCritical: return "critical";
    case AlarmSeverity::kMajor: return "major";
    case AlarmSeverity::kMinor: return "minor";
    case AlarmSeverity::kWarning: return "warning";
  }
  return "unknown";
}

// What an alarm is about; alarm_kinds.hpp has a row for each.
enum class AlarmKind : std::uint8_t {
  kDaemonSilent,
  kKeeperSilent,
  kNameServiceUnreachable,
  kLogicSilent,
  kSwitchAway,
  kSwitchUnknown,
  kSwitchServerUnreachable,
  kRouteObjectUnreachable,
  kQosMapperUnreachable,
  kLineDown,
  kPortDown,
  kPermanentCallDown,
  kCallsWithoutPath,
  kCallsEndedByForce,
  kCallsIncomplete,
  kLinksDiffer,
  kClaimsAwaited,
  kEntriesOfNobody,
  kManagerGone,
  kClientGone,
  kRemovalsOwed,
  kOverload,
  kClientOverLimit,
  kLabelsShort,
  kBandwidthShort,
  kStateNotWritten,
  kNetworkSmaller,
  kSwitchDrift,
  kPeersRefused,
  kPeerFaults,
  kCallbacksNotRead,
  kDescriptorsShort,
  kLineDrained,
  kSwitchDrained,
  kAlarmsLeftOut,
};
inline constexpr AlarmKind kAlarmKindLast = AlarmKind::kAlarmsLeftOut;

// A state that holds now. An alarm is raised for it when it has held for a moment.
struct AlarmCondition {
  AlarmKind kind = AlarmKind::kLogicSilent;
  std::string object;  // "switch-1", "switch-1 port 2", "client load"
  std::string cause;   // a sentence with the present value, without a number that changes always
  // The state is not bad enough to raise an alarm, and too bad to clear one (hysteresis).
  bool keeps_only = false;

  friend bool operator==(const AlarmCondition&, const AlarmCondition&) = default;
};

// A moment: for durations, and as people read it.
struct Moment {
  TimePoint now;
  std::uint64_t utc_ms = 0;  // milliseconds since 1970
};

struct Alarm {
  std::uint64_t id = 0;
  AlarmKind kind = AlarmKind::kLogicSilent;
  std::string object;
  std::string cause;
  std::uint64_t raised_ms = 0;
  std::uint64_t changed_ms = 0;  // its cause changed, or it began again, or it was cleared
  std::uint64_t cleared_ms = 0;  // 0: it is raised
  std::uint32_t times = 1;       // how often its state has begun
  std::string acknowledged_by;   // empty: nobody
  std::uint64_t acknowledged_ms = 0;
  std::string note;

  friend bool operator==(const Alarm&, const Alarm&) = default;
};

}  // namespace xbind
