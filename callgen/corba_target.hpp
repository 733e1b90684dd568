// The manager as seen by a load generator: attaches once, then plays a Runner against it in batches
// over a session (core/session), and asks for status and audit around it.
//
//   timer thread ───┐                    ┌─▶ oneway submit to the manager
//   upcall thread ──┴─▶ Serial ─▶ Runner ┘
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callgen/runner.hpp"
#include "callgen/workload.hpp"
#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/serial.hpp"
#include "core/session/session.hpp"
#include "orb/name_client.hpp"
#include "orb/runtime.hpp"
#include "orb/timer_thread.hpp"
#include "route_object.hh"

namespace xbind::callgen {

// What the manager's audit said.
struct RemoteAudit {
  AuditTotals totals;
  std::vector<std::string> findings;  // "stray cross-connect at switch-1 port 2: ..."
};

using Metrics = std::map<std::string, std::uint64_t>;

class CorbaTarget {
 public:
  // `faults`: on purpose, in what is sent to the manager.
  CorbaTarget(orb::Runtime& runtime, const std::string& name_service,
              const faults::FaultOptions& faults);
  ~CorbaTarget();
  CorbaTarget(const CorbaTarget&) = delete;
  CorbaTarget& operator=(const CorbaTarget&) = delete;

  // Where calls may start and end, from xbind/routeobject/NAME: demands if the topology has any, else
  // all pairs of endpoints.
  Result<Workload> workload_from(const std::string& route_object, std::uint64_t seed);

  // Finds xbind/cmgr/NAME and opens a session under `client_name`.
  Result<void> attach(const std::string& manager, const std::string& client_name);

  // Plays the whole plan; returns when it is over. `progress` is called every `progress_interval` (0:
  // never) on a thread of its own.
  RunFigures run(const RunPlan& plan, Workload workload, Duration progress_interval,
                 const std::function<void(const Progress&)>& progress);

  // Counters of the manager by name.
  Result<Metrics> status();
  // The same of every SwitchServer in the name service, by its name there; one that does not answer
  // soon is left out.
  std::map<std::string, Metrics> switch_statuses();
  // What the fault layer did to our own messages so far. Waits for the Serial.
  faults::FaultCounters own_faults();
  Result<RemoteAudit> audit();
  void detach();

 private:
  class Observer;
  using ClientSession = session::Session<RequestBatch, OutcomeBatch>;

  void after_drain();
  void lose(const std::string& reason, TimePoint now);
  void transmit(TimePoint now);
  void send(const session::Frame<RequestBatch>& frame, TimePoint now);
  void on_outcomes(session::Frame<OutcomeBatch> frame, TimePoint now);

  orb::Runtime& runtime_;
  orb::NameClient names_;
  std::string manager_name_;
  v1::ConnectionManager_var manager_;
  v1::RequestInbox_var inbox_;
  SessionId session_;
  Observer* observer_ = nullptr;  // owned by the POA
  v1::OutcomeObserver_var observer_reference_;

  // Within the Serial.
  std::unique_ptr<ClientSession> link_;
  std::unique_ptr<Runner> runner_;
  std::deque<RequestBatch> waiting_;  // no credit; bounded by the runner's open calls
  std::vector<session::Frame<RequestBatch>> outbox_;
  faults::FaultyPipe<session::Frame<RequestBatch>> faults_;
  bool lost_ = false;

  std::mutex finished_mutex_;
  std::condition_variable finished_wake_;
  bool finished_ = false;

  Serial serial_;
  orb::TimerThread timer_;
};

}  // namespace xbind::callgen
