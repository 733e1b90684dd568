// A running ConnectionManager: the logic behind one Serial, fed by upcalls, by the two-way threads
// of remote_peers.hpp and by a timer.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/alarm_conditions.hpp"
#include "cmgr/connection_manager.hpp"
#include "cmgr/parts/numbered_outcomes.hpp"
#include "cmgr/remote_peers.hpp"
#include "core/audit.hpp"
#include "core/manager_epochs.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/serial.hpp"
#include "exporter/reading.hpp"
#include "orb/dispatch.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"

namespace xbind::cmgr {

// The result of an audit of every switch that the manager reaches.
struct AuditSummary {
  std::vector<Finding> findings;
  std::size_t switches = 0;
  std::uint64_t connections = 0;
};

// How long a two-way call may wait.
using CallTimeout = std::function<Duration()>;

class ManagerDaemon {
 public:
  ManagerDaemon(CORBA::ORB_ptr orb, const Config& config, const RemotePeers::Options& peers);
  ~ManagerDaemon();
  ManagerDaemon(const ManagerDaemon&) = delete;
  ManagerDaemon& operator=(const ManagerDaemon&) = delete;

  void start(v2::HopObserver_ptr observer, v2::TopologyObserver_ptr topology_observer) {
    peers_.start(observer, topology_observer);
    supervision_.start();
  }
  void stop();
  // Tells every client that its session ends because this process ends. Call before stop(), with
  // the ORB up.
  void end_sessions();

  // Runs `job` with the logic, one at a time, and waits for its result. Call only from threads that
  // may wait.
  template <class Job>
  auto ask(Job job) {
    std::promise<decltype(job(std::declval<ConnectionManager&>()))> answer;
    auto future = answer.get_future();
    serial_.post([&] { answer.set_value(job(manager_)); });
    return future.get();
  }
  void post(std::function<void(ConnectionManager&)> job) {
    serial_.post([this, job = std::move(job)] { job(manager_); });
  }
  // Posts one peer message. `items` is its command count, or nullopt for a bare acknowledgement.
  void take(std::optional<std::size_t> items, std::function<void(ConnectionManager&)> job) {
    serial_.post(
        [this, items, job = std::move(job)] {
          peers_.impairments().receive(
              items, [&] { job(manager_); }, [this] { after_drain(); });
        },
        items.value_or(1));
  }
  // As bound under xbind/cmgr/.
  const std::string& name() const { return name_; }
  // Its alarms and events.
  orb::Supervision& supervision() { return supervision_; }
  // The last events of calls. Waits for the logic.
  EventPage calls_after(std::uint64_t after, std::size_t limit);
  // Every upcall of this daemon's servants passes here.
  orb::Dispatch& dispatch() { return dispatch_; }
  RemotePeers& peers() { return peers_; }  // use within a job only; blocking calls: outside

  // Two-way calls: submits the request in a step and waits at most `timeout` for its outcome. The
  // outcome is remembered under the caller's `number` unless that is 0. After kTimeout the request
  // is still processed, also when its step had not begun. Its outcome is then remembered; without a
  // number, the connection that it set up is released.
  Result<Outcome> call(RequestBody request, Duration timeout, RequestId number = {});
  // The timeout with which no call is given up too early: longer than all timers of the logic
  // together, as they are set now.
  Duration longest_call() const { return longest_call_.load(std::memory_order_relaxed); }
  // See ConnectionManager::change_settings().
  Result<void> change_settings(const Config& wanted);
  // The last outcome of a two-way call of that number; nullopt if none is remembered (any more).
  std::optional<Outcome> outcome_of_call(RequestId number);
  // Releases a connection or hold whose caller closed its TCP connection before the reply came.
  // Does not wait for the release. Outside a step the caller must hold no lock: its thread may
  // become the runner of the logic (core/serial.hpp) and answer other two-way calls, which locks
  // calls_mutex_.
  void release_unclaimed(ConnectionId connection);

  // Compares every switch's table, every ledger and our own table, in up to four looks while they
  // still find something. Takes as long as the switches need. One audit runs at a time.
  AuditSummary audit();

  // Looks again, repairs what is among `seen` and is found again, and audits the result.
  AuditSummary repair(const std::vector<Finding>& seen);

  // Compares what manager, ledgers and switches have of one connection, in several looks while they
  // find something or the connection is changing. nullopt: there is none.
  std::optional<CallCheck> check_call(ConnectionId connection);
  // Looks again, and repairs what is among `seen` and is found again. kNotFound: there is no such
  // connection; kExhausted: it is changing, and nothing was done.
  Result<void> mend_call(ConnectionId connection, const std::vector<HopFinding>& seen);

  // Chooses this process's epoch: above the highest one that the file of `state_dir` (empty: no
  // file) or any SwitchServer knows, and stores it there. False: RouteObject or a SwitchServer has
  // not answered. Once `patience` has passed since start, it chooses without the answers that are
  // missing, and logs a warning. Epochs that are used up are renewed (core/manager_epochs.hpp), for
  // which every SwitchServer must answer. kBadInput, kSystem: the file cannot be read or written,
  // or the epochs cannot be renewed; the manager must not begin. Nothing attaches before. `begun`
  // is called once the logic has its epoch, before anything attaches.
  Result<bool> begin_epoch(const std::string& state_dir, Duration patience,
                           const std::function<void()>& begun);
  // Whether calls can be served: the topology is known, every SwitchServer in it is attached, and
  // the connections of earlier epochs are rebuilt. Queries RouteObject. Once `patience` has passed
  // since start, returns true in any case, with a warning.
  bool may_serve(Duration patience);

  Metrics metrics();
  // What the daemon exposes over HTTP. It must not be asked after this object has ended.
  exporter::Part exposed_part();

 private:
  struct LocalCall {
    std::promise<Outcome> outcome;
    RequestId number;        // 0: the caller gave none
    bool abandoned = false;  // the caller has stopped waiting
  };

  bool learn_network();
  void after_drain();
  void complete(RequestId token, Outcome outcome);
  // A SwitchServer's report, and the manager's view before and after it was fetched.
  struct Reading {
    ManagerView before;
    LedgerReport report;
    ManagerView after;
  };
  Result<Reading> read(const std::string& switch_name);
  std::vector<Finding> look();
  void note_entries_of_nobody(const std::vector<Finding>& findings);
  std::vector<Finding> look_at(const std::string& switch_name);
  void repair_at(const std::string& switch_name, const std::vector<Finding>& seen);
  std::optional<CallCheck> look_at_call(ConnectionId connection);

  Result<bool> renew_epochs(const ManagerEpochs& epochs, std::size_t silent, bool wait);

  // All conditions of alarms. On the logic's thread.
  std::vector<AlarmCondition> conditions(const ConnectionManager& manager,
                                         AlarmCounts& counts) const;

  Config config_;
  const std::string name_;
  std::atomic<Duration> longest_call_;
  orb::Dispatch dispatch_;
  orb::SharedTimers timers_;
  orb::Supervision supervision_;
  RemotePeers peers_;
  ConnectionManager manager_;

  std::mutex calls_mutex_;
  std::atomic<std::uint64_t> next_token_ = 1;
  std::unordered_map<RequestId, LocalCall> calls_;
  NumberedOutcomes numbered_;
  std::mutex audit_mutex_;
  TimePoint started_;
  // Used by the thread of begin_epoch() and may_serve() only.
  std::optional<RemotePeers::Network> network_;
  bool renewal_told_ = false;

  Serial serial_;
  orb::SharedTimers::Timer timer_;
};

}  // namespace xbind::cmgr
