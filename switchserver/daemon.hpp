// A SwitchServer as a running thing: the logic (switch_server.hpp) behind one Serial, fed by upcalls,
// by the switch's driver and by a timer.
//
//   upcall threads    ─┐
//   driver's threads  ─┼─▶ Serial ──▶ SwitchServer + RunningDriver ──▶ switch, oneways to managers
//   timer thread      ─┘            (one thread at a time)         └──▶ RemoteRouter, now and then
//
// A process has one or several, each for a switch of its own. They share the timers' thread and the Router's,
// and nothing of the logic.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/log.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/pace.hpp"
#include "core/serial.hpp"
#include "orb/dispatch.hpp"
#include "orb/shared_timers.hpp"
#include "switch_server.hh"
#include "switchserver/drivers/running_driver.hpp"
#include "switchserver/port_reporter.hpp"
#include "switchserver/remote_manager.hpp"
#include "switchserver/remote_router.hpp"
#include "switchserver/switch_absence.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {

struct SwitchServerDaemonOptions {
  SwitchServerOptions server;
  faults::FaultOptions faults;
  PortReporterOptions reports;
  PaceOptions pace;
  bool name_in_log = false;  // the process has several: lines say which one they are about
};

// Answers that threads wait for, by token.
template <class Answer>
class Awaited {
 public:
  struct Ticket {
    std::uint64_t token = 0;
    std::future<Answer> answer;
  };

  Ticket open() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t token = next_++;
    return {token, open_[token].get_future()};
  }
  // Nobody waits any more: the answer is dropped.
  void complete(std::uint64_t token, Answer answer) {
    const std::lock_guard lock(mutex_);
    if (const auto waiting = open_.find(token); waiting != open_.end()) {
      waiting->second.set_value(std::move(answer));
    }
  }
  // Waits at most so long and closes the ticket; nothing: the answer has not come.
  std::optional<Answer> wait(Ticket& ticket, Duration timeout) {
    ticket.answer.wait_for(timeout);
    const std::lock_guard lock(mutex_);
    std::optional<Answer> answer;
    if (ticket.answer.wait_for(Duration::zero()) == std::future_status::ready) {
      answer = ticket.answer.get();
    }
    open_.erase(ticket.token);
    return answer;
  }
  void close(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    open_.erase(ticket.token);
  }

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, std::promise<Answer>> open_;
};

class SwitchServerDaemon {
 public:
  // The caller has not started `driver`; the daemon does. The other objects outlive the daemon. With
  // no router the daemon reports its ports to nobody.
  SwitchServerDaemon(const SwitchServerDaemonOptions& options,
                     std::unique_ptr<RunningDriver> driver, orb::SharedTimers& timers,
                     orb::Errands& errands, RemoteRouter* router);
  ~SwitchServerDaemon();
  SwitchServerDaemon(const SwitchServerDaemon&) = delete;
  SwitchServerDaemon& operator=(const SwitchServerDaemon&) = delete;

  // Starts the driver, which connects to the switch.
  void start();
  // Stops timer and driver; jobs posted afterwards find everything down.
  void stop();
  // Tells every manager that its session ends, since this process does. Before stop(), with the ORB up.
  void end_sessions();

  const std::string& name() const { return name_; }

  // Runs `job` with the logic, one at a time, and waits for it. Only from threads that may wait (two-way
  // upcalls): what it waits for never waits for them.
  template <class Job>
  auto ask(Job job) {
    std::promise<decltype(job(std::declval<SwitchServer&>()))> answer;
    auto future = answer.get_future();
    serial_.post([&] {
      const log::About about(name_in_log_);
      answer.set_value(job(server_));
    });
    return future.get();
  }
  // Runs it some time; does not wait.
  void post(std::function<void(SwitchServer&)> job) {
    serial_.post([this, job = std::move(job)] {
      const log::About about(name_in_log_);
      job(server_);
    });
  }

  // A message of a manager with so many items; nothing: a confirmation alone. With a pace it costs what
  // that says, and is a step of its own.
  void take(std::optional<std::size_t> items, std::function<void(SwitchServer&)> job) {
    serial_.post(
        [this, items, job = std::move(job)] {
          const log::About about(name_in_log_);
          if (items) pace_.take(*items);
          job(server_);
          if (pace_.on()) after_drain();
        },
        items.value_or(1));
  }
  // Thread-safe.
  Pace& pace() { return pace_; }
  // What every upcall of our servants goes through.
  orb::Dispatch& dispatch() { return dispatch_; }

  // Within a job: the observer of a session just attached.
  RemoteManagers& managers() { return managers_; }

  // Waits at most `timeout` for the switch and the books to be read. kTimeout, or as
  // SwitchServer::audit.
  Result<LedgerReport> audit(const std::string& manager, Duration timeout);
  // Applies the batch and waits at most `timeout` for all its results. kTimeout: it was applied, but
  // what became of it is not known; or as SwitchServer::execute. Not within a job.
  Result<HopResultBatch> execute(SessionId session, const HopBatch& batch, Duration timeout);

  struct PortReport {
    SwitchPort port;
    PortUsage usage;
    std::optional<CellCounters> cells;  // nothing: the switch does not tell
  };
  // Every port and its books, and what the switch has counted there; waits at most `timeout` for that.
  // Not within a job.
  std::vector<PortReport> ports(Duration timeout);
  // What the switch has counted of the connection that comes in there. kTimeout, or as
  // SwitchServer::read_statistics; kNotFound: no such port, or nothing comes in
  // there; kUnreachable also: the switch does not count that. Not within a job.
  Result<CellCounters> count_cells(PortId port, Label label, Duration timeout);

  // "frames_in", "commits", ...; for the status operation.
  Metrics metrics();

 private:
  void after_drain();
  void wake_driver();
  void drain_driver(TimePoint now);
  void note_switch(const driver::Event& event, TimePoint now);
  void switch_away(TimePoint now);
  void tell_router(TimePoint now);

  const std::string name_;
  orb::Dispatch dispatch_;
  const std::string name_in_log_;  // empty: it stands in every line anyway
  Pace pace_;
  RemoteManagers managers_;
  const std::unique_ptr<RunningDriver> driver_;
  SwitchServer server_;
  std::vector<driver::Event> events_;  // reused

  SwitchAbsence absence_;
  RemoteRouter* router_;
  PortReporter reporter_;
  std::uint64_t operations_seen_ = 0;  // at the last step, to tell whether the books may have moved
  std::uint64_t reports_sent_ = 0;
  std::uint64_t reports_failed_ = 0;

  Awaited<LedgerReport> audits_;
  Awaited<Result<HopResultBatch>> executes_;
  Awaited<SwitchController::Counted> statistics_;

  Serial serial_;
  orb::SharedTimers::Timer timer_;
};

}  // namespace xbind
