// The managers as seen by a load generator: attaches to each once, then plays a Player against them in
// batches over a session with each (core/session), and asks for status and audit around it.
//
//   timer thread ────┐                    ┌─▶ oneway submit to the managers
//   upcall threads ──┴─▶ Serial ─▶ Player ┘
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callgen/load/matrix.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/media/media_check.hpp"
#include "callgen/media/media_lines.hpp"
#include "callgen/report/report.hpp"
#include "callgen/run/player.hpp"
#include "callgen/run/runner.hpp"
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

// What a manager's audit said.
struct RemoteAudit {
  AuditTotals totals;
  std::vector<std::string> findings;  // "stray cross-connect at switch-1 port 2: ..."
};

// With --verify-media: who checks, and over which lines. Both outlive the run.
struct Media {
  MediaCheck& check;  // within the target's Serial while the run lasts
  MediaLines& lines;
};

class CorbaTarget {
 public:
  // `faults`: on purpose, in what is sent to the managers.
  CorbaTarget(orb::Runtime& runtime, const std::string& name_service,
              const faults::FaultOptions& faults);
  ~CorbaTarget();
  CorbaTarget(const CorbaTarget&) = delete;
  CorbaTarget& operator=(const CorbaTarget&) = delete;

  // What xbind/routeobject/NAME knows of who may call whom: the endpoints, and demands if the topology has any.
  Result<KnownEnds> ends_from(const std::string& route_object);

  // Finds xbind/cmgr/NAME and opens a session under `client_name`. Once for each manager; the first
  // one attached is manager 0 of the plan.
  Result<void> attach(const std::string& manager, const std::string& client_name);
  // The same of a manager that is in hand; `name`: what to call it.
  Result<void> attach_to(const std::string& name, CORBA::Object_ptr object,
                         const std::string& client_name);

  // Plays the whole plan, whose `managers` are those attached; returns when it is over, and with `media`
  // when that has nothing to wait for either and its lines are stopped. `progress` is called every
  // `progress_interval` (0: never) on the caller's thread.
  // `sink`, if any, gets every record within the Serial. The plan's time zero is `begin`, or now when that
  // has passed. `stop`, if any, is asked on the caller's thread ten times a second; true: the run
  // ends in order, as Runner::stop() says.
  RunFigures run(const RunPlan& plan, Workload workload, Media* media, Duration progress_interval,
                 const std::function<void(const Progress&)>& progress, RecordSink* sink = nullptr,
                 TimePoint begin = {}, const std::function<bool()>& stop = {});
  // Plays anything else until it is finished. One play, or one run, for each CorbaTarget.
  void play(Player& player, const std::function<bool()>& stop = {});

  // Counters by name of each manager, in the order in which they were attached.
  Result<std::vector<Metrics>> statuses();
  // The same of every SwitchServer in the name service, by its name there; one that does not answer
  // soon is left out.
  std::map<std::string, Metrics> switch_statuses();
  // What the fault layer did to our own messages so far. Waits for the Serial.
  faults::FaultCounters own_faults();
  // Of every manager, one after the other, by its name.
  std::map<std::string, Result<RemoteAudit>> audits();
  // Managers from which nothing ever came back to our callback, though they were asked: each with
  // the callback's address. Waits for the Serial.
  std::map<std::string, std::string> unheard();
  void detach();

 private:
  class Observer;
  class Offering;  // a Runner as Player
  using ClientSession = session::Session<RequestBatch, OutcomeBatch>;
  using RequestFrame = session::Frame<RequestBatch>;

  struct Manager {
    std::string name;
    std::string peer;  // in errors
    v2::ConnectionManager_var object;
    v2::RequestInbox_var inbox;
    SessionId session;
    Observer* observer = nullptr;  // owned by the POA
    v2::OutcomeObserver_var observer_reference;
    // Within the Serial.
    std::unique_ptr<ClientSession> link;
    TimePoint first_sent =
        kNever;          // of the batches; the empty one that opens the connection is none
    bool heard = false;  // anything in this session
    std::deque<RequestBatch> waiting;  // no credit; bounded by the runner's open calls
  };
  struct Outgoing {
    std::size_t manager = 0;
    RequestFrame frame;
  };

  void wait_until_finished(Duration progress_interval,
                           const std::function<void(const Progress&)>& progress,
                           const std::function<bool()>& stop);
  void after_drain();
  void advance_media(TimePoint now);
  // kNever: nothing to wake for.
  TimePoint media_deadline(TimePoint now) const;
  void lose(const std::string& reason, TimePoint now);
  void tick(std::size_t manager, TimePoint now);
  // Until when the first answer of a manager that was asked is awaited; kNever: it has come, or
  // none is due.
  static TimePoint silence_ends(const Manager& manager);
  void send_waiting(std::size_t manager, TimePoint now);
  void send_or_keep(Dispatch& dispatch, TimePoint now);
  void hand_to_link(std::size_t manager, RequestBatch&& batch, TimePoint now);
  void transmit(TimePoint now);
  void send(const Outgoing& outgoing, TimePoint now);
  void on_outcomes(std::size_t manager, session::Frame<OutcomeBatch> frame, TimePoint now);
  TimePoint links_deadline() const;
  static Result<RemoteAudit> audit(Manager& manager);

  orb::Runtime& runtime_;
  orb::NameClient names_;
  std::vector<Manager> managers_;  // none is added once the run has begun

  // Within the Serial.
  std::unique_ptr<Offering> offering_;  // of a run
  Player* player_ = nullptr;            // set once it has started
  Duration between_sends_{};            // at least; of a run
  TimePoint next_send_;                 // not before
  Media* media_ = nullptr;
  std::vector<Outgoing> outbox_;  // this and the next two are kept for their memory
  std::vector<std::shared_ptr<const OutcomeBatch>> in_order_;
  v2::RequestBatch on_the_wire_;  // the one being sent
  faults::FaultyPipe<Outgoing> faults_;
  bool lost_ = false;  // one of the managers: the run is over

  std::mutex finished_mutex_;
  std::condition_variable finished_wake_;
  bool finished_ = false;

  Serial serial_;
  orb::TimerThread timer_;
};

}  // namespace xbind::callgen
