#include "xbindctl/alarms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/alarms/alarm_kinds.hpp"
#include "core/name.hpp"
#include "xbindctl/answers.hpp"

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kAlarmsPerPage = 1'000;
constexpr std::size_t kPerDaemon = 10'000;  // whatever a daemon answers
constexpr std::size_t kAlarmTextOctets = 500;

std::string severity_word(v2::AlarmSeverity severity) {
  return std::string{to_string(static_cast<AlarmSeverity>(severity))};
}

// All alarms of a daemon, page by page.
OrFailure<std::vector<v2::Alarm>> read_alarms(v2::Alarmed_ptr daemon, bool cleared_too) {
  std::vector<v2::Alarm> all;
  v2::AlarmId after = 0;
  while (all.size() < kPerDaemon) {
    const v2::AlarmSeq_var page = daemon->alarms(after, kAlarmsPerPage, cleared_too);
    if (page->length() == 0) break;
    for (CORBA::ULong i = 0; i < page->length(); ++i) all.push_back(page.in()[i]);
    const v2::AlarmId last = all.back().id;
    if (last <= after) break;
    after = last;
  }
  return all;
}

const AlarmKindRow& row_of_silent(PeerKind daemon) {
  return row_of(daemon == PeerKind::kKeeper ? AlarmKind::kKeeperSilent : AlarmKind::kDaemonSilent);
}

// A daemon that is registered and does not answer, and about which no other daemon has an alarm:
// not yet, or nobody who watches is left.
v2::Alarm silent(const Daemon& peer, const Failure& failure) {
  const AlarmKindRow& row = row_of_silent(peer.kind);
  const std::string daemon = peer.name();
  v2::Alarm alarm;
  alarm.id = 0;
  alarm.kind = std::string{row.name}.c_str();
  alarm.about = daemon.c_str();
  alarm.severity = static_cast<CORBA::Octet>(row.severity);
  alarm.cause = failure.text.c_str();
  alarm.repair = std::string{row.repair}.c_str();
  alarm.raised_ms = alarm.changed_ms = alarm.cleared_ms = alarm.acknowledged_ms = 0;
  alarm.times = 1;
  return alarm;
}

bool raised(const std::vector<ShownAlarm>& alarms, std::string_view kind,
            const std::string& about) {
  return std::ranges::any_of(alarms, [&](const ShownAlarm& one) {
    return one.alarm.cleared_ms == 0 && one.alarm.kind.in() == kind &&
           one.alarm.about.in() == about;
  });
}

bool chosen(const v2::Alarm& alarm, const AlarmWish& wish) {
  if (wish.unacknowledged && alarm.acknowledged_ms != 0) return false;
  const auto& severities = alarm_severities();
  const auto asked = std::ranges::find(severities, wish.severity) - severities.begin();
  // The words follow the numbers, from critical on.
  constexpr int kFirst = static_cast<int>(AlarmSeverity::kCritical);
  if (asked > 0 && static_cast<int>(alarm.severity) > kFirst + static_cast<int>(asked) - 1) {
    return false;
  }
  if (!wish.kinds.empty() &&
      std::ranges::find(wish.kinds, std::string{alarm.kind.in()}) == wish.kinds.end()) {
    return false;
  }
  return std::string_view{alarm.about.in()}.find(wish.about) != std::string_view::npos;
}

std::string state_of(const v2::Alarm& alarm) {
  if (alarm.cleared_ms != 0) return "cleared " + time_of_alarm(alarm.cleared_ms);
  if (alarm.acknowledged_ms == 0) return "raised";
  return fmt::format("by {}", alarm.acknowledged_by.in());
}

Json time_of(std::uint64_t utc_ms) { return utc_ms == 0 ? Json{} : Json(utc_ms); }

Json json_of(const ShownAlarm& shown) {
  const v2::Alarm& alarm = shown.alarm;
  Json acknowledged;
  if (alarm.acknowledged_ms != 0) {
    acknowledged = {{"by", text(alarm.acknowledged_by.in())},
                    {"at_ms", alarm.acknowledged_ms},
                    {"note", text(alarm.note.in())}};
  }
  return {{"id", alarm.id == 0 ? Json{} : Json(shown.id())},
          {"daemon", shown.daemon},
          {"kind", text(alarm.kind.in())},
          {"about", text(alarm.about.in())},
          {"severity", severity_word(alarm.severity)},
          {"cause", printable(alarm.cause.in(), kAlarmTextOctets)},
          {"repair", printable(alarm.repair.in(), kAlarmTextOctets)},
          {"raised_ms", time_of(alarm.raised_ms)},
          {"changed_ms", time_of(alarm.changed_ms)},
          {"cleared_ms", time_of(alarm.cleared_ms)},
          {"times", alarm.times},
          {"acknowledged", std::move(acknowledged)}};
}

struct NamedAlarm {
  Daemon daemon;
  std::uint64_t id = 0;
};

OrFailure<NamedAlarm> alarm_named(const std::string& word) {
  const std::size_t mark = word.rfind('#');
  NamedAlarm named;
  if (mark != std::string::npos) {
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data() + mark + 1, end, named.id);
    if (error != std::errc{} || at != end) named.id = 0;
  }
  if (named.id == 0) {
    return failed(ErrorCode::kBadInput, fmt::format("'{}' is no alarm", printable(word)),
                  "`xbindctl alarms` shows the ids: switchserver/switch-1#1795673564");
  }
  auto daemon = daemon_named(word.substr(0, mark));
  if (!daemon) return tl::make_unexpected(daemon.error());
  named.daemon = std::move(*daemon);
  return named;
}

}  // namespace

const std::vector<std::string>& alarm_severities() {
  static const std::vector<std::string> kWords{"any", "critical", "major", "minor", "warning"};
  return kWords;
}

std::vector<std::string> alarm_kind_names() {
  std::vector<std::string> names;
  for (const AlarmKindRow& row : alarm_kinds()) names.emplace_back(row.name);
  return names;
}

std::string ShownAlarm::id() const {
  return alarm.id == 0 ? "-" : fmt::format("{}#{}", daemon, alarm.id);
}

OrFailure<AlarmsOfAll> alarms_of_all(orb::NameClient& names, const AlarmWish& wish) {
  const auto all = daemons(names);
  if (!all) return tl::make_unexpected(all.error());
  auto answers = ask_each(names, *all, [&](std::size_t, const Operators& operators) {
    return read_alarms(operators.alarms, wish.cleared_too);
  });
  AlarmsOfAll found;
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (!answers[i]) continue;
    for (v2::Alarm& alarm : *answers[i]) {
      found.alarms.push_back({(*all)[i].name(), std::move(alarm)});
    }
  }
  if (const auto away = name_service_away(names)) found.failures.push_back(*away);
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (answers[i]) continue;
    const Daemon& daemon = (*all)[i];
    found.failures.push_back(answers[i].error());
    if (!raised(found.alarms, row_of_silent(daemon.kind).name, daemon.name())) {
      found.alarms.push_back({daemon.name(), silent(daemon, answers[i].error())});
    }
  }
  std::erase_if(found.alarms, [&](const ShownAlarm& one) { return !chosen(one.alarm, wish); });
  std::ranges::sort(found.alarms, [](const ShownAlarm& a, const ShownAlarm& b) {
    return std::tuple(a.alarm.cleared_ms != 0, a.alarm.severity, b.alarm.raised_ms, a.daemon,
                      a.alarm.id) < std::tuple(b.alarm.cleared_ms != 0, b.alarm.severity,
                                               a.alarm.raised_ms, b.daemon, b.alarm.id);
  });
  return found;
}

int alarms(orb::NameClient& names, const AlarmWish& wish) {
  const auto found = alarms_of_all(names, wish);
  if (!found) return explain(found.error());
  if (found->alarms.empty()) say("no alarms");
  std::vector<Row> rows{{"severity", "since", "kind", "about", "state", "id", "cause"}};
  for (const ShownAlarm& shown : found->alarms) {
    const v2::Alarm& alarm = shown.alarm;
    std::string cause = printable(alarm.cause.in(), kAlarmTextOctets);
    if (alarm.times > 1) cause += fmt::format(" ({} times)", alarm.times);
    rows.push_back({severity_word(alarm.severity), time_of_alarm(alarm.raised_ms), alarm.kind.in(),
                    alarm.about.in(), state_of(alarm), shown.id(), std::move(cause)});
  }
  if (rows.size() > 1) print_table(7, std::move(rows));
  return found->failures.empty() ? 0 : 1;
}

DocumentOrFailure alarms_document(orb::NameClient& names, const AlarmWish& wish) {
  const auto found = alarms_of_all(names, wish);
  if (!found) return tl::make_unexpected(found.error());
  Json rows = Json::array();
  for (const ShownAlarm& shown : found->alarms) rows.push_back(json_of(shown));
  Json errors = Json::array();
  for (const Failure& failure : found->failures) {
    errors.push_back(ctl::json_of(failure).at("error"));
  }
  return Document{{{"alarms", std::move(rows)}, {"errors", std::move(errors)}},
                  found->failures.empty() ? 0 : 1};
}

DocumentOrFailure acknowledge_document(orb::NameClient& names, const std::string& id,
                                       const std::string& who, const std::string& note, bool undo) {
  const auto named = alarm_named(id);
  if (!named) return tl::make_unexpected(named.error());
  return ask_one(
      names, named->daemon,
      [&](const Operators& operators) -> DocumentOrFailure {
        if (undo) {
          operators.alarms->unacknowledge(named->id);
        } else {
          operators.alarms->acknowledge(named->id, who.c_str(), note.c_str());
        }
        return Document{{{"id", id},
                         {"acknowledged", !undo},
                         {"by", undo ? Json{} : text(who)},
                         {"note", undo ? Json{} : text(note)}}};
      },
      [&](const v2::UnknownAlarm& unknown) -> DocumentOrFailure {
        return failed(ErrorCode::kNotFound, fmt::format("{} has no alarm {}, or no longer",
                                                        named->daemon.name(), unknown.alarm));
      });
}

int acknowledge(orb::NameClient& names, const std::string& id, const std::string& who,
                const std::string& note, bool undo) {
  const DocumentOrFailure done = acknowledge_document(names, id, who, note, undo);
  if (!done) return explain(done.error());
  say(undo ? fmt::format("{}: not acknowledged any more", id)
           : fmt::format("{}: acknowledged by {}", id, who));
  return 0;
}

int explain_alarm(AlarmKind kind) {
  const AlarmKindRow& row = row_of(kind);
  say(fmt::format("alarm {} ({})", row.name, to_string(row.severity)));
  say(fmt::format("  means       {}", row.meaning));
  say(fmt::format("  raised by   {}, about {}", row.raised_by, row.object));
  say(fmt::format("  what to do  {}", row.repair));
  return 0;
}

DocumentOrFailure explain_alarm_document(AlarmKind kind) {
  const AlarmKindRow& row = row_of(kind);
  return Document{{{"alarm", row.name},
                   {"severity", to_string(row.severity)},
                   {"meaning", row.meaning},
                   {"raised_by", row.raised_by},
                   {"about", row.object},
                   {"repair", row.repair}}};
}

std::string alarm_kinds_markdown() {
  std::string out =
      "| alarm | severity | raised by, about | meaning | what to do |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const AlarmKindRow& row : alarm_kinds()) {
    out += fmt::format("| `{}` | {} | {}: {} | {} | {} |\n", row.name, to_string(row.severity),
                       row.raised_by, row.object, row.meaning, row.repair);
  }
  return out;
}

}  // namespace xbind::ctl
