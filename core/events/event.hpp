// Events: what has happened, for operators who follow a daemon. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"
#include "core/ids.hpp"

namespace xbind {

// The numbers are those of idl/operations.idl, which says what each means.
enum class EventKind : std::uint8_t {
  // outcomes of requests
  kConnected = 0,
  kHeld = 1,
  kModified = 2,
  kLeafAdded = 3,
  kLeafDropped = 4,
  kReleased = 5,
  kRefused = 6,
  kBusy = 7,
  // changes of calls that no request has caused
  kRerouted = 8,
  kBroken = 9,
  kPathUnknown = 10,
  kMended = 11,
  kEnded = 12,
  kIncomplete = 13,
  // of the network
  kLinkUp = 16,
  kLinkDown = 17,
  kLinkDrained = 18,
  kLinkUndrained = 19,
  kSwitchUp = 32,
  kSwitchDown = 33,
  kSwitchDrained = 34,
  kSwitchUndrained = 35,
  // of sessions
  kSessionAttached = 48,
  kSessionEnded = 49,
  // of alarms
  kAlarmRaised = 64,
  kAlarmCleared = 65,
  kAlarmAcknowledged = 66,
};
constexpr std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kConnected: return "connected";
    case EventKind::kHeld: return "held";
    case EventKind::kModified: return "modified";
    case EventKind::kLeafAdded: return "leaf-added";
    case EventKind::kLeafDropped: return "leaf-dropped";
    case EventKind::kReleased: return "released";
    case EventKind::kRefused: return "refused";
    case EventKind::kBusy: return "busy";
    case EventKind::kRerouted: return "rerouted";
    case EventKind::kBroken: return "broken";
    case EventKind::kPathUnknown: return "path-unknown";
    case EventKind::kMended: return "mended";
    case EventKind::kEnded: return "ended";
    case EventKind::kIncomplete: return "incomplete";
    case EventKind::kLinkUp: return "link-up";
    case EventKind::kLinkDown: return "link-down";
    case EventKind::kLinkDrained: return "link-drained";
    case EventKind::kLinkUndrained: return "link-undrained";
    case EventKind::kSwitchUp: return "switch-up";
    case EventKind::kSwitchDown: return "switch-down";
    case EventKind::kSwitchDrained: return "switch-drained";
    case EventKind::kSwitchUndrained: return "switch-undrained";
    case EventKind::kSessionAttached: return "session-attached";
    case EventKind::kSessionEnded: return "session-ended";
    case EventKind::kAlarmRaised: return "alarm-raised";
    case EventKind::kAlarmCleared: return "alarm-cleared";
    case EventKind::kAlarmAcknowledged: return "alarm-acknowledged";
  }
  return "unknown";
}

// What an event is about; readers choose by these.
enum class EventSubject : std::uint8_t { kCalls, kLinks, kSwitches, kSessions, kAlarms };
constexpr EventSubject subject_of(EventKind kind) {
  const auto number = static_cast<std::uint8_t>(kind);
  if (number < 16) return EventSubject::kCalls;
  if (number < 32) return EventSubject::kLinks;
  if (number < 48) return EventSubject::kSwitches;
  return number < 64 ? EventSubject::kSessions : EventSubject::kAlarms;
}
constexpr std::string_view to_string(EventSubject subject) {
  switch (subject) {
    case EventSubject::kCalls: return "calls";
    case EventSubject::kLinks: return "links";
    case EventSubject::kSwitches: return "switches";
    case EventSubject::kSessions: return "sessions";
    case EventSubject::kAlarms: return "alarms";
  }
  return "unknown";
}

// Members that a kind does not have are empty or 0.
struct Event {
  std::uint64_t number = 0;  // in its log, from 1
  std::uint64_t at_ms = 0;   // UTC, milliseconds since 1970
  EventKind kind = EventKind::kConnected;
  std::string object{};
  ConnectionId connection{};
  RequestId request{};
  std::string from{};
  std::string to{};
  Cause cause = Cause::kNone;
  std::string element{};
  std::uint64_t asked = 0;
  std::uint64_t free = 0;
  std::string text{};
  std::string alarm_kind{};
  std::uint64_t alarm = 0;

  friend bool operator==(const Event&, const Event&) = default;
};

// The events after a position in a log.
struct EventPage {
  std::uint64_t newest = 0;  // of the log; 0: there has been none
  std::uint64_t lost = 0;    // events after the position that are no longer kept
  std::vector<Event> events{};
};

}  // namespace xbind
