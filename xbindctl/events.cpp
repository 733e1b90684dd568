#include "xbindctl/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/call.hpp"
#include "core/name.hpp"
#include "core/utc_text.hpp"
#include "orb/process.hpp"
#include "xbindctl/answers.hpp"

namespace xbind::ctl {
namespace {

std::string key_of(const std::string& daemon, v2::EventLogCode log) {
  return fmt::format("{} {}", daemon, log_name(log));
}

std::string time_text(std::uint64_t utc_ms) {
  return utc_text(std::chrono::milliseconds{static_cast<std::int64_t>(utc_ms)});
}

// "no bandwidth at switch-1 port 2: asked 12000 cells/s, free 9700": the cause says what the
// numbers are.
std::string words_of_refusal(const v2::Event& event, Cause cause) {
  Outcome refused;
  refused.kind = OutcomeKind::kRefused;
  refused.cause = cause;
  refused.element = event.element.in();
  refused.asked = event.asked;
  refused.free = event.free;
  return xbind::explain(refused);
}

// What a line says behind its time, its daemon and its kind.
std::string words_of(const v2::Event& event) {
  std::string words;
  const auto add = [&](const std::string& word) {
    if (!words.empty()) words += ", ";
    words += word;
  };
  if (event.connection != 0) add(fmt::format("{}", event.connection));
  if (*event.from_end.in() != '\0') {
    add(fmt::format("{} -> {}", event.from_end.in(), event.to_end.in()));
  }
  const bool of_call = subject_of(event) == EventSubject::kCalls;
  add(of_call ? fmt::format("client {}", event.about.in()) : std::string{event.about.in()});
  if (*event.alarm_kind.in() != '\0') {
    add(fmt::format("{} #{}", event.alarm_kind.in(), event.alarm));
  }
  if (const auto cause = cause_from(event.cause); cause && *cause != Cause::kNone) {
    add(words_of_refusal(event, *cause));
  } else {
    if (!cause) add(cause_of(event));
    if (*event.element.in() != '\0') add(fmt::format("at {}", event.element.in()));
    if (event.asked != 0 || event.free != 0) {
      add(fmt::format("asked {}, free {}", event.asked, event.free));
    }
  }
  if (*event.text.in() != '\0') add(event.text.in());
  return words;
}

}  // namespace

const std::vector<std::string>& event_subjects() {
  static const std::vector<std::string> kWords{"calls", "links", "switches", "sessions", "alarms"};
  return kWords;
}

bool EventFollower::wants(v2::EventLogCode log) const {
  if (wish_.subjects.empty()) return true;
  return std::ranges::any_of(wish_.subjects, [&](const std::string& subject) {
    return (subject == to_string(EventSubject::kCalls)) == (log == v2::event_log_calls);
  });
}

int EventFollower::frame() {
  const auto all = daemons(names_);
  if (!all) return print_failure(all.error());
  std::vector<std::string> daemon_names;
  for (const Daemon& daemon : *all) daemon_names.push_back(daemon.name());
  const auto answers = ask_each(
      names_, *all, [&](std::size_t at, const Operators& operators) -> OrFailure<ReadLogs> {
        ReadLogs logs;
        for (const v2::EventLogCode log : {v2::event_log_calls, v2::event_log_network}) {
          if (!wants(log)) continue;
          const auto known = positions_.find(key_of(daemon_names[at], log));
          const EventPosition from = known == positions_.end() ? EventPosition{} : known->second;
          logs.emplace_back(log, read_events(operators.events, log, from));
        }
        return logs;
      });
  int exit_code = 0;
  for (const Shown& shown : chosen(daemon_names, answers)) print(shown);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      exit_code = print_failure(answers[i].error());
      continue;
    }
    for (const auto& [log, read] : *answers[i]) {
      positions_[key_of(daemon_names[i], log)] = read.position;
      if (read.lost != 0) print_lost(daemon_names[i], log, read.lost);
    }
  }
  first_ = false;
  return exit_code;
}

std::vector<EventFollower::Shown> EventFollower::chosen(
    const std::vector<std::string>& daemons,
    const std::vector<OrFailure<ReadLogs>>& answers) const {
  const auto utc_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(orb::since_1970()).count());
  const std::uint64_t oldest =
      first_ && wish_.since_s != 0 ? utc_ms - std::min(utc_ms, wish_.since_s * 1'000) : 0;
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;
    for (const auto& [log, read] : *answers[i]) {
      for (const v2::Event& event : read.events) {
        const std::string subject{to_string(subject_of(event))};
        const bool wanted = wish_.subjects.empty() ||
                            std::ranges::find(wish_.subjects, subject) != wish_.subjects.end();
        if (wanted && event.at_ms >= oldest) shown.push_back({&daemons[i], &event});
      }
    }
  }
  std::ranges::stable_sort(shown, {}, [](const Shown& one) { return one.event->at_ms; });
  if (first_ && wish_.limit != 0 && shown.size() > wish_.limit) {
    shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(wish_.limit));
  }
  return shown;
}

void EventFollower::print(const Shown& shown) const {
  if (wish_.json) return print_document(json_of(*shown.daemon, *shown.event), false);
  say(fmt::format("{} {} {}: {}", time_text(shown.event->at_ms), *shown.daemon,
                  to_string(static_cast<EventKind>(shown.event->kind)), words_of(*shown.event)));
}

void EventFollower::print_lost(const std::string& daemon, v2::EventLogCode log,
                               std::uint64_t lost) const {
  if (wish_.json) {
    return print_document(Json{{"lost", lost}, {"daemon", daemon}, {"log", log_name(log)}}, false);
  }
  say(fmt::format("{}: {} were dropped before they were read", daemon,
                  counted(lost, fmt::format("event of the log of {}", log_name(log)))));
}

int EventFollower::print_failure(const Failure& failure) const {
  if (!wish_.json) return explain(failure);
  print_document(ctl::json_of(failure), false);
  return 1;
}

}  // namespace xbind::ctl
