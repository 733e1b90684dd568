#include "xbindctl/event_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/name.hpp"

namespace xbind::ctl {
namespace {

constexpr CORBA::ULong kEventsPerPage = 2'000;
constexpr int kPagesPerReading = 8;  // of one log: more than a log keeps
constexpr std::size_t kEventTextOctets = 500;

void take(const v2::EventPage& page, ReadEvents& read) {
  for (CORBA::ULong event = 0; event < page.events.length(); ++event) {
    read.events.push_back(page.events[event]);
  }
}

}  // namespace

const char* log_name(v2::EventLogCode log) {
  return log == v2::event_log_calls ? "calls" : "network";
}

std::string cause_of(const v2::Event& event) {
  const auto cause = cause_from(event.cause);
  return cause ? std::string{to_string(*cause)} : "unknown cause";
}

EventSubject subject_of(const v2::Event& event) {
  return xbind::subject_of(static_cast<EventKind>(event.kind));
}

Json json_of(const std::string& daemon, const v2::Event& event) {
  return {{"at_ms", event.at_ms},
          {"daemon", daemon},
          {"number", digits(event.number)},
          {"subject", to_string(subject_of(event))},
          {"event", to_string(static_cast<EventKind>(event.kind))},
          {"about", text(event.about.in())},
          {"connection", event.connection == 0 ? Json{} : digits(event.connection)},
          {"request", event.request == 0 ? Json{} : digits(event.request)},
          {"from", text(event.from_end.in())},
          {"to", text(event.to_end.in())},
          {"cause", event.cause == v2::cause_none ? Json{} : Json(cause_of(event))},
          {"element", text(event.element.in())},
          {"asked", event.asked},
          {"free", event.free},
          {"text", printable(event.text.in(), kEventTextOctets)},
          {"alarm", event.alarm == 0 ? Json{} : Json(fmt::format("{}#{}", daemon, event.alarm))},
          {"alarm_kind", text(event.alarm_kind.in())}};
}

ReadEvents read_events(v2::Recorded_ptr daemon, v2::EventLogCode log, EventPosition from) {
  ReadEvents read;
  const bool begun = from.incarnation != 0;
  for (int i = 0; i < kPagesPerReading; ++i) {
    const v2::EventPage_var page =
        daemon->events_since(log, from.incarnation, from.after, kEventsPerPage);
    if (begun || i > 0) read.lost += page->lost;
    from.incarnation = page->incarnation;
    from.after = page->newest;
    if (page->events.length() == 0) break;
    take(page, read);
    from.after = read.events.back().number;
    if (from.after >= page->newest) break;
  }
  read.position = from;
  return read;
}

ReadEvents read_newest_events(v2::Recorded_ptr daemon, v2::EventLogCode log, EventPosition from,
                              std::uint32_t most) {
  const bool begun = from.incarnation != 0;
  v2::EventPage_var page = daemon->events_since(log, from.incarnation, from.after, most);
  // A restarted daemon counts anew.
  std::uint64_t after = page->incarnation == from.incarnation ? from.after : 0;
  ReadEvents read;
  read.position = {page->incarnation, page->newest};
  const CORBA::ULong got = page->events.length();
  if (got > 0 && page->events[got - 1].number < page->newest && page->newest - after > most) {
    page = daemon->events_since(log, page->incarnation, page->newest - most, most);
    if (page->incarnation != read.position.incarnation) after = 0;
    read.position = {page->incarnation, page->newest};
  }
  take(page, read);
  if (!read.events.empty()) read.position.after = read.events.back().number;
  if (!begun) return read;
  // Numbers have no gaps.
  const std::uint64_t first =
      read.events.empty() ? read.position.after + 1 : read.events.front().number;
  read.lost = first - 1 - std::min(after, first - 1);
  return read;
}

}  // namespace xbind::ctl
