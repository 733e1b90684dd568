// The alarms of all daemons, as values, as text and as a document. Every function waits for its
// peers, each at most for its time limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/alarms/alarm.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/document.hpp"
#include "xbindctl/fleet.hpp"

namespace xbind::ctl {

// Which alarms are shown.
struct AlarmWish {
  bool cleared_too = false;
  bool unacknowledged = false;     // only those that nobody has acknowledged
  std::string severity;            // one of alarm_severities(): only as severe ones
  std::vector<std::string> kinds;  // empty: any
  std::string about;               // only alarms whose object contains this text
};

// "any", "critical", "major", "minor", "warning": --severity.
const std::vector<std::string>& alarm_severities();
// Of every kind, in the order of the table.
std::vector<std::string> alarm_kind_names();

struct ShownAlarm {
  std::string daemon;  // "switchserver/node-2"
  v2::Alarm alarm;     // id 0: xbindctl has found it out itself; no daemon has raised it (yet)

  // "switchserver/node-2#1795673564", as acknowledge takes it; "-" without an id.
  std::string id() const;
};
struct AlarmsOfAll {
  std::vector<ShownAlarm> alarms;  // the most severe first, then the newest
  std::vector<Failure> failures;   // of daemons and of a name service that did not answer
};
OrFailure<AlarmsOfAll> alarms_of_all(orb::NameClient& names, const AlarmWish& wish);

// Prints a line for each alarm. Exit code 1: a daemon did not answer.
int alarms(orb::NameClient& names, const AlarmWish& wish);
DocumentOrFailure alarms_document(orb::NameClient& names, const AlarmWish& wish);

// `id`: of ShownAlarm::id(). `undo`: removes the acknowledgement.
DocumentOrFailure acknowledge_document(orb::NameClient& names, const std::string& id,
                                       const std::string& who, const std::string& note, bool undo);
int acknowledge(orb::NameClient& names, const std::string& id, const std::string& who,
                const std::string& note, bool undo);

// The kind's row, as text and as a document.
int explain_alarm(AlarmKind kind);
DocumentOrFailure explain_alarm_document(AlarmKind kind);
// The table of kinds as rows of docs/operating.md, with a line end after each.
std::string alarm_kinds_markdown();

}  // namespace xbind::ctl
