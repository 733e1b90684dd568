#include "bench/commands/run_events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "bench/processes/child_process.hpp"
#include "core/duration_numbers.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kLinesKept = 3;
constexpr std::size_t kOctetsKept = 400;

std::string end_of(const ChildEnd& end) {
  const std::string& said = end.err.empty() ? end.out : end.err;
  return printable(last_lines(said, kLinesKept), kOctetsKept);
}

void run(const ScenarioEvent& event, EventReport& report) {
  const TimePoint began = steady_now();
  const auto end = run_child({.command = event.command, .timeout = event.timeout});
  report.duration_s = in_seconds(steady_now() - began);
  if (end) {
    report.exit_code = end->exit_code;
    report.said = end_of(*end);
  } else {
    report.said = printable(end.error().text, kOctetsKept);
  }
}

}  // namespace

RunEvents::RunEvents(std::vector<ScenarioEvent> events) : events_(std::move(events)) {
  for (const ScenarioEvent& event : events_)
    reports_.push_back({.name = event.name,
                        .command = fmt::format("{}", fmt::join(event.command, " ")),
                        .planned_s = in_seconds(event.at),
                        .at_s = std::nullopt,
                        .duration_s = 0,
                        .exit_code = std::nullopt,
                        .said = {}});
}

RunEvents::~RunEvents() { static_cast<void>(finish()); }

void RunEvents::look(const OfferView& now) {
  for (; next_ < events_.size() && events_[next_].at <= now.plan; ++next_) {
    reports_[next_].at_s = in_seconds(now.elapsed);
    under_way_.emplace_back(
        [event = &events_[next_], report = &reports_[next_]] { run(*event, *report); });
  }
}

std::vector<EventReport> RunEvents::finish() {
  for (std::thread& thread : under_way_) thread.join();
  under_way_.clear();
  return reports_;
}

}  // namespace xbind::callgen
