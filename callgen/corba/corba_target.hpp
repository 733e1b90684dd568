// The managers as seen by a load generator: attaches to each once, then plays a Player against them in
// batches, and asks for status and audit around it. A client::Requester holds the session with each
// manager; all of them are in one Serial, so that the Player sees one order of all answers.
//
//   timer thread ────┐                        ┌─▶ oneways to the managers
//   upcall threads ──┴─▶ Serial ─▶ Requesters ┴◀─▶ Player
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "callgen/load/matrix.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/media/media_check.hpp"
#include "callgen/media/media_lines.hpp"
#include "callgen/report/report.hpp"
#include "callgen/run/player.hpp"
#include "callgen/run/runner.hpp"
#include "client/corba/manager_session.hpp"
#include "client/requester.hpp"
#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/serial.hpp"
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
  // one attached is manager 0 of the plan. After an error the target is as before.
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
  class Offering;  // a Runner as Player

  // A manager, and this program's session with it.
  struct Manager {
    // `place`: among the managers of the plan, from 0.
    Manager(CorbaTarget& target, std::size_t place, const std::string& its_name,
            CORBA::Object_ptr reference, const client::Identity& identity);

    const std::size_t index;
    const std::string name;
    const std::string peer;  // in errors
    const v2::ConnectionManager_var object;
    // Within the Serial.
    client::Requester requester;
    client::RequestSender sender;

    client::Observer observer;  // last, so that it goes first: its messages are for the others
  };
  struct Outgoing {
    std::size_t manager = 0;
    SessionId session;
    session::Frame<RequestBatch> frame;
  };
  struct SessionOf {
    std::size_t manager = 0;
    SessionId session;
  };

  // Runs `job` within the Serial and returns what it returns. Not from the Serial.
  template <class Job>
  auto within(Job&& job) {
    using Answer = decltype(job());
    std::promise<Answer> answer;
    serial_.post([&] {
      if constexpr (std::is_void_v<Answer>) {
        job();
        answer.set_value();
      } else {
        answer.set_value(job());
      }
    });
    return answer.get_future().get();
  }

  void wait_until_finished(Duration progress_interval,
                           const std::function<void(const Progress&)>& progress,
                           const std::function<bool()>& stop);
  void after_drain();
  void advance_media(TimePoint now);
  // kNever: nothing to wake for.
  TimePoint media_deadline(TimePoint now) const;
  void on_message(Manager& manager, client::ManagerMessage&& message);
  void submit(Dispatch& dispatch, TimePoint now);
  // Does what the manager's requester wants: answers go to the player, frames into the outbox.
  void perform(Manager& manager, TimePoint now);
  // Moves the frames of actions_ into the outbox, and its sessions to those to detach.
  void keep_for_transport(const Manager& manager);
  // Sends what is in the outbox, through the fault layer.
  void transmit(TimePoint now);
  // Ends the run: nothing is sent any more, and the player learns that its target is lost.
  void lose(const Manager& manager, const Error& why, TimePoint now);
  // The manager was sent batches in its session and has not said anything.
  static bool is_unheard(const Manager& manager);
  TimePoint links_deadline() const;
  static Result<RemoteAudit> audit(const Manager& manager);

  orb::Runtime& runtime_;
  orb::NameClient names_;
  std::vector<std::unique_ptr<Manager>> managers_;  // none is added once the run has begun

  // Within the Serial.
  std::unique_ptr<Offering> offering_;  // of a run
  Player* player_ = nullptr;            // set once it has started
  Duration between_sends_{};            // at least; of a run
  TimePoint next_send_;                 // not before
  Media* media_ = nullptr;
  client::Actions actions_;  // of one requester; this and the next are kept for their memory
  std::vector<Outgoing> outbox_;
  std::vector<SessionOf> to_detach_;  // detach() does, on the caller's thread
  faults::FaultyPipe<Outgoing> faults_;
  bool lost_ = false;  // one of the managers: the run is over

  std::mutex finished_mutex_;
  std::condition_variable finished_wake_;
  bool finished_ = false;

  Serial serial_;
  orb::TimerThread timer_;
};

}  // namespace xbind::callgen
