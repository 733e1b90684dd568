#include "orb/supervised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/alarms/alarm_kinds.hpp"
#include "orb/reply.hpp"

namespace xbind::orb {
namespace {

constexpr CORBA::ULong kAlarmsPerPage = 1'000;
constexpr CORBA::ULong kEventsPerPage = 2'000;

void check_limit(CORBA::ULong limit, CORBA::ULong most) {
  if (limit != 0 && limit <= most) return;
  throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, most).c_str());
}

[[noreturn]] void refuse(v2::AlarmId id, const Error& error) {
  if (error.code == ErrorCode::kNotFound) throw v2::UnknownAlarm(id);
  throw v2::BadRequest(error.text.c_str());
}

void to_idl(const Alarm& alarm, v2::Alarm& out) {
  const AlarmKindRow& row = row_of(alarm.kind);
  out.id = alarm.id;
  out.kind = std::string{row.name}.c_str();
  out.about = alarm.object.c_str();
  out.severity = static_cast<CORBA::Octet>(row.severity);
  out.cause = alarm.cause.c_str();
  out.repair = std::string{row.repair}.c_str();
  out.raised_ms = alarm.raised_ms;
  out.changed_ms = alarm.changed_ms;
  out.cleared_ms = alarm.cleared_ms;
  out.times = alarm.times;
  out.acknowledged_by = alarm.acknowledged_by.c_str();
  out.acknowledged_ms = alarm.acknowledged_ms;
  out.note = alarm.note.c_str();
}

void to_idl(const Event& event, v2::Event& out) {
  out.number = event.number;
  out.at_ms = event.at_ms;
  out.kind = static_cast<CORBA::Octet>(event.kind);
  out.about = event.object.c_str();
  out.connection = event.connection.value();
  out.request = event.request.value();
  out.from_end = event.from.c_str();
  out.to_end = event.to.c_str();
  out.cause = static_cast<CORBA::Octet>(event.cause);
  out.element = event.element.c_str();
  out.asked = event.asked;
  out.free = event.free;
  out.text = event.text.c_str();
  out.alarm_kind = event.alarm_kind.c_str();
  out.alarm = event.alarm;
}

// Leaves the first values that fit into one reply.
template <class Sequence>
void cut_to_reply(Sequence& values) {
  ReplyRoom room;
  for (CORBA::ULong i = 0; i < values.length(); ++i) {
    if (room.take(octets_of(values[i]))) continue;
    values.length(i);
    return;
  }
}

}  // namespace

v2::AlarmSeq* alarms_of(Supervision& supervision, v2::AlarmId after, CORBA::ULong limit,
                        bool cleared_too) {
  check_limit(limit, kAlarmsPerPage);
  const std::vector<Alarm> alarms = supervision.alarms(after, limit, cleared_too);
  auto out = std::make_unique<v2::AlarmSeq>();
  out->length(static_cast<CORBA::ULong>(alarms.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) to_idl(alarms[i], (*out)[i]);
  cut_to_reply(*out);
  return out.release();
}

void acknowledge(Supervision& supervision, v2::AlarmId id, const char* who, const char* note) {
  const auto done = supervision.acknowledge(id, who, note);
  if (!done) refuse(id, done.error());
}

void unacknowledge(Supervision& supervision, v2::AlarmId id) {
  const auto done = supervision.unacknowledge(id);
  if (!done) refuse(id, done.error());
}

EventPosition event_position(const Supervision& supervision, v2::EventLogCode log,
                             std::uint64_t incarnation, std::uint64_t after, CORBA::ULong limit) {
  if (log > v2::event_log_network) {
    throw v2::BadRequest(fmt::format("event log {} is none of 0..1", log).c_str());
  }
  check_limit(limit, kEventsPerPage);
  return {incarnation == supervision.incarnation() ? after : 0, limit};
}

v2::EventPage* to_idl(const EventPage& page, std::uint64_t incarnation) {
  auto out = std::make_unique<v2::EventPage>();
  out->incarnation = incarnation;
  out->newest = page.newest;
  out->lost = page.lost;
  out->events.length(static_cast<CORBA::ULong>(page.events.size()));
  for (CORBA::ULong i = 0; i < out->events.length(); ++i) to_idl(page.events[i], out->events[i]);
  cut_to_reply(out->events);
  return out.release();
}

}  // namespace xbind::orb
