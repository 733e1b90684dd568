// The events of a scenario: commands that are run at a time of the plan, each by a thread of its
// own, so that a slow one delays neither the run nor the next. No shell: a program and its
// arguments, with standard input from /dev/null and a timeout. An interrupted run interrupts them.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include "callgen/options/scenario_file.hpp"
#include "callgen/report/report_parts.hpp"
#include "callgen/run/offer.hpp"

namespace xbind::callgen {

// Call it from one thread; each command runs as a process of its own.
class RunEvents {
 public:
  // In the order of their times; at most kEventsMax.
  explicit RunEvents(std::vector<ScenarioEvent> events);
  // Waits for the commands that are under way, each at most its timeout.
  ~RunEvents();
  RunEvents(const RunEvents&) = delete;
  RunEvents& operator=(const RunEvents&) = delete;

  // Starts what is due.
  void look(const OfferView& now);
  // Waits for the commands that are under way and returns what became of all.
  std::vector<EventReport> finish();

 private:
  const std::vector<ScenarioEvent> events_;
  std::vector<EventReport> reports_;  // of each event, written by its thread
  std::vector<std::thread> under_way_;
  std::size_t next_ = 0;
};

}  // namespace xbind::callgen
