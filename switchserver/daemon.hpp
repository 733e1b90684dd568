// A running SwitchServer: the logic (switch_server.hpp) behind one Serial. Upcalls, the switch's
// driver and a timer post to it.
//
//   upcall threads    ─┐
//   driver's threads  ─┼─▶ Serial ──▶ SwitchServer + RunningDriver ──▶ switch, oneways to managers
//   timer thread      ─┘            (one thread at a time)         └──▶ RemoteRouter (reports)
//
// A process has one or several daemons, each for its own switch. They share the timers' thread and
// the Router's thread, but no logic.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/impairments/impairments.hpp"
#include "core/log.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/serial.hpp"
#include "core/steady_now.hpp"
#include "exporter/reading.hpp"
#include "orb/dispatch.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"
#include "switch_server.hh"
#include "switchserver/alarm_conditions.hpp"
#include "switchserver/drivers/running_driver.hpp"
#include "switchserver/manager_file.hpp"
#include "switchserver/port_reporter.hpp"
#include "switchserver/remote_manager.hpp"
#include "switchserver/remote_router.hpp"
#include "switchserver/servant_metrics.hpp"
#include "switchserver/switch_absence.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {

struct SwitchServerDaemonOptions {
  SwitchServerOptions server;
  ImpairmentOptions impairments;
  PortReporterOptions reports;
  bool of_process = true;    // it reports the alarms of the process: one daemon of each does
  bool name_in_log = false;  // the process has several: lines say which one they are about
  std::string manager_file;  // manager_file.hpp; empty: none
};

// Answers that threads wait for, each identified by a token.
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
  // Drops the answer if nobody waits for it any more.
  void complete(std::uint64_t token, Answer answer) {
    const std::lock_guard lock(mutex_);
    if (const auto waiting = open_.find(token); waiting != open_.end()) {
      waiting->second.set_value(std::move(answer));
    }
  }
  // Waits at most `timeout`, then closes the ticket. Returns nullopt if the answer has not arrived.
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
  // `driver` has not been started; start() starts it. The other objects outlive the daemon. Without
  // a router the daemon reports its ports to nobody.
  SwitchServerDaemon(const SwitchServerDaemonOptions& options,
                     std::unique_ptr<RunningDriver> driver, orb::SharedTimers& timers,
                     RemoteRouter* router);
  ~SwitchServerDaemon();
  SwitchServerDaemon(const SwitchServerDaemon&) = delete;
  SwitchServerDaemon& operator=(const SwitchServerDaemon&) = delete;

  // Starts the driver, which connects to the switch.
  void start();
  // Stops timer and driver. Jobs that are posted later find the switch unreachable.
  void stop();
  // Notifies every manager that its session ends with this process. Call it before stop(), while
  // the ORB is up.
  void end_sessions();

  const std::string& name() const { return name_; }

  // Runs `job` with the logic, one at a time, and waits for its result. Call it only from threads
  // that may wait (two-way upcalls), so that no job ever waits for such a thread.
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
  // Queues `job` for the logic; does not wait.
  void post(std::function<void(SwitchServer&)> job) {
    serial_.post([this, job = std::move(job)] {
      const log::About about(name_in_log_);
      job(server_);
    });
  }

  // Posts one message of a manager. `items`: its commands; nothing: an acknowledgement alone.
  void take(std::optional<std::size_t> items, std::function<void(SwitchServer&)> job) {
    serial_.post(
        [this, items, job = std::move(job)] {
          const log::About about(name_in_log_);
          impairments_.receive(
              items, [&] { job(server_); }, [this] { after_drain(); });
        },
        items.value_or(1));
  }
  Impairments& impairments() { return impairments_; }
  // Its alarms and events.
  orb::Supervision& supervision() { return supervision_; }
  // Every upcall of this daemon's servants passes through it.
  orb::Dispatch& dispatch() { return dispatch_; }

  // Used within a job, to store the observer of a session that has just attached.
  RemoteManagers& managers() { return managers_; }
  // Stores the managers on disk, after one has attached or was forgotten. Not within a job.
  void keep_managers() {
    keeper_.keep([this] {
      return ask([](SwitchServer& server) { return server.controller().known_managers(); });
    });
  }

  // Waits at most `timeout` until the switch's table and the ledger have been read. Fails with
  // kTimeout or as SwitchServer::audit.
  Result<LedgerReport> audit(const std::string& manager, Duration timeout);
  // The same for SwitchServer::repair.
  Result<LedgerReport> repair(std::vector<Finding> seen, Duration timeout);
  // The same for SwitchController::look_at_call and mend_call.
  Result<CallAtSwitch> look_at_call(const std::string& manager, CallQuestion question,
                                    Duration timeout);
  Result<CallAtSwitch> mend_call(const std::string& manager, ConnectionId connection,
                                 std::vector<EntryDifference> seen, Duration timeout);
  // Applies the batch and waits at most `timeout` for all its results. kTimeout: the batch was
  // applied, but its results are unknown. Other errors as SwitchServer::execute. Not within a job.
  Result<HopResultBatch> execute(SessionId session, const HopBatch& batch, Duration timeout);

  struct PortReport {
    SwitchPort port;
    PortUsage usage;
    std::optional<CellCounters> cells;  // nullopt: the switch did not report them
  };
  // Every port with its ledger figures and the switch's cell counters. Waits at most `timeout` for
  // the counters. Not within a job.
  std::vector<PortReport> ports(Duration timeout);
  // The switch's cell counters of the connection that enters at `port` with `label`. Errors:
  // kTimeout; kNotFound (no such port, or nothing enters there with that label); kUnreachable (also
  // when the switch does not count connections); others as SwitchServer::read_statistics. Not
  // within a job.
  Result<CellCounters> count_cells(PortId port, Label label, Duration timeout);

  // Takes the ledger's factors and buffer, and how ports are reported, while everything runs.
  void change(const LedgerOptions& ledger, const PortReporterOptions& reports);
  // Reports the ports to the Router without waiting for the time of the next report.
  void report_now() {
    post([this](SwitchServer&) { reporter_.report_now(steady_now()); });
  }

  // The metrics that the status operation returns.
  Metrics metrics();
  // What the daemon exposes over HTTP. It must not be asked after this object has ended.
  exporter::Part exposed_part();

 private:
  SwitchServerReading reading(SwitchServer& server);

  // Waits at most `timeout` for the answer that `start` has begun under its token.
  template <class Answer, class Start>
  Result<Answer> answer_of(Awaited<Answer>& awaited, const Start& start, Duration timeout);
  void after_drain();
  void wake_driver();
  void drain_driver(TimePoint now);
  void note_switch(const driver::Event& event, TimePoint now);
  void note_ports();
  void switch_away(TimePoint now);
  void tell_router(TimePoint now);
  std::vector<AlarmCondition> conditions();  // within a job

  const std::string name_;
  orb::Dispatch dispatch_;
  orb::Supervision supervision_;
  struct Watched {
    PortWatch ports;
    bool of_process;             // see the options
    bool report_failed = false;  // the last one
  };
  Watched watched_;
  const std::string name_in_log_;  // empty: every log line of the process has the name already
  Impairments impairments_;
  RemoteManagers managers_;
  const std::unique_ptr<RunningDriver> driver_;
  SwitchServer server_;
  ManagerKeeper keeper_;
  std::vector<driver::Event> events_;  // reused, for its memory

  SwitchAbsence absence_;
  RemoteRouter* router_;
  PortReporter reporter_;
  std::uint64_t operations_seen_ = 0;  // at the last step, to detect ledger changes
  std::uint64_t reports_sent_ = 0;
  std::uint64_t reports_failed_ = 0;

  Awaited<LedgerReport> audits_;
  Awaited<CallAtSwitch> looks_;
  Awaited<Result<HopResultBatch>> executes_;
  Awaited<SwitchController::Counted> statistics_;

  Serial serial_;
  orb::SharedTimers::Timer timer_;
};

}  // namespace xbind
