// The managers as a load generator uses them: attaches to each once, plays a Player against them in
// batches, and fetches status and audit before and after. A client::Requester holds the session
// with each manager. All of them share one Serial, so that the Player sees all answers in one
// order.
//
//   timer thread ────┐                        ┌─▶ oneways to the managers
//   upcall threads ──┼─▶ Serial ─▶ Requesters ┼◀─▶ Player
//   reattach thread ─┘                        └─▶ reattach thread, which may block
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
#include "callgen/run/conduct.hpp"
#include "callgen/run/player.hpp"
#include "callgen/run/runner.hpp"
#include "client/corba/manager_session.hpp"
#include "client/corba/worker.hpp"
#include "client/requester.hpp"
#include "connection_manager.hh"
#include "core/audit.hpp"
#include "core/impairments/outbox.hpp"
#include "core/serial.hpp"
#include "orb/name_client.hpp"
#include "orb/runtime.hpp"
#include "orb/timer_thread.hpp"
#include "route_object.hh"

namespace xbind::callgen {

// The result of a manager's audit.
struct RemoteAudit {
  AuditTotals totals;
  std::vector<std::string> findings;  // "stray cross-connect at switch-1 port 2: ..."
  std::uint64_t connections = 0;      // in the manager's table
};

// For --verify-media: the check and its lines. Both must outlive the run.
struct Media {
  MediaCheck& check;  // used within the target's Serial while the run lasts
  MediaLines& lines;
};

// The effect of the loss of a session with a manager. A measured run ends: nothing must be repaired
// in it. kReattach: the requester looks the manager up again, opens a session with the restarted
// one, and repeats what has no answer. The run still ends if that does not succeed in time
// (client::Limits::reach_within).
enum class OnLoss : std::uint8_t { kEnd, kReattach };

class CorbaTarget {
 public:
  // `impairments`: applied to the messages to the managers.
  CorbaTarget(orb::Runtime& runtime, const std::string& name_service,
              const ImpairmentOptions& impairments, OnLoss on_loss = OnLoss::kEnd);
  ~CorbaTarget();
  CorbaTarget(const CorbaTarget&) = delete;
  CorbaTarget& operator=(const CorbaTarget&) = delete;

  // The endpoints of xbind/routeobject/NAME, and the topology's demands if it has any.
  Result<KnownEnds> ends_from(const std::string& route_object);

  // Looks up xbind/cmgr/NAME and opens a session under `client_name`. Call once for each manager;
  // the first one attached is manager 0 of the plan. After an error the target is unchanged.
  Result<void> attach(const std::string& manager, const std::string& client_name);
  // The same for a known object reference; `name` is used in messages.
  Result<void> attach_to(const std::string& name, CORBA::Object_ptr object,
                         const std::string& client_name);

  // Plays the whole plan, whose `managers` are the attached ones. Returns when it is over; with
  // `media`, also the check must be idle, and its lines are then stopped. `progress` is called
  // every `progress_interval` (0: never) on the caller's thread. `sink`, if any, gets every record
  // within the Serial. Time zero of the plan is `begin`, or now if that has passed. `steering` is
  // used on the caller's thread.
  RunFigures run(const RunPlan& plan, Workload workload, Media* media, Duration progress_interval,
                 const std::function<void(const Progress&)>& progress, RecordSink* sink = nullptr,
                 TimePoint begin = {}, const Steering& steering = {});
  // Plays any other Player until it is finished. A CorbaTarget allows one play or one run.
  void play(Player& player, const std::function<bool()>& stop = {});

  // Counters of each manager by name, in the order of attaching.
  Result<std::vector<Metrics>> statuses();
  // The same of every SwitchServer in the name service, by its name there. One that does not answer
  // within a short time is left out.
  std::map<std::string, Metrics> switch_statuses();
  // Counts of the fault layer for this process's messages so far. Waits for the Serial.
  faults::FaultCounters own_faults();
  // Audits every manager, one after the other; the key is its name.
  std::map<std::string, Result<RemoteAudit>> audits();
  // Managers that were sent requests but never called back, each with the address of the callback.
  // Waits for the Serial.
  std::map<std::string, std::string> unheard();
  // Sessions lost and opened again so far, and requests repeated. Waits for the Serial.
  Reattached reattached();
  void detach();

 private:
  class Offering;  // a Runner as Player
  class Hands;     // Conduct of that Runner

  // A manager, and this program's session with it.
  struct Manager {
    // `place`: index among the managers of the plan, from 0.
    Manager(CorbaTarget& target, std::size_t place, const std::string& its_name,
            CORBA::Object_ptr reference, const client::Identity& identity);

    const std::size_t index;
    const std::string name;
    const std::string peer;  // name in errors
    // Within the Serial.
    v2::ConnectionManager_var object;  // a restarted manager has another one
    client::Requester requester;
    client::RequestSender sender;

    // declared last, so destroyed first: it passes messages to the other members
    client::Observer observer;
  };
  struct Outgoing {
    std::size_t manager = 0;
    SessionId session;
    session::Frame<RequestBatch> frame;

    std::uint64_t peer() const { return manager; }
    MessageCost cost() const { return {}; }  // a generator has no pace
  };
  struct SessionOf {
    std::size_t manager = 0;
    SessionId session;
  };
  // The end of a play, for the thread that waits for it.
  struct Finish {
    std::mutex mutex;
    std::condition_variable wake;
    bool reached = false;
  };

  // Runs `job` within the Serial and returns its result. Not for use within the Serial.
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

  // For use outside the Serial.
  v2::ConnectionManager_var object_of(const Manager& manager);
  void wait_until_finished(Duration progress_interval,
                           const std::function<void(const Progress&)>& progress,
                           const Steering& steering);
  void after_drain();
  void advance_media(TimePoint now);
  // kNever: no wake-up needed.
  TimePoint media_deadline(TimePoint now) const;
  void on_message(Manager& manager, client::ManagerMessage&& message);
  void submit(Dispatch& dispatch, TimePoint now);
  // Performs the actions of the manager's requester: answers go to the player, frames to the
  // outbox.
  void perform(Manager& manager, TimePoint now);
  // Moves the frames of actions_ to the outbox, and its ended sessions to to_detach_.
  void keep_for_transport(const Manager& manager);
  // Sends the messages of the outbox.
  void transmit(TimePoint now);
  // Ends the run: nothing more is sent, and the player's target_lost() is called.
  void lose(const Manager& manager, const Error& why, TimePoint now);
  // Whether batches were sent in the manager's session and nothing came back.
  static bool is_unheard(const Manager& manager);
  TimePoint links_deadline() const;
  Result<RemoteAudit> audit(const Manager& manager);
  // On the thread of reattaching_.
  void reattach(Manager& manager, const client::Attach& wanted);

  orb::Runtime& runtime_;
  orb::NameClient names_;
  const OnLoss on_loss_;
  std::vector<std::unique_ptr<Manager>> managers_;  // unchanged once the run has begun

  // Within the Serial.
  std::unique_ptr<Offering> offering_;  // of a run
  Player* player_ = nullptr;            // set once the play has started
  Duration between_sends_{};            // minimum; of a run
  TimePoint next_send_;                 // not before this time
  Media* media_ = nullptr;
  // of one requester; kept to reuse its memory
  client::Actions actions_;
  Impairments impairments_;
  Outbox<Outgoing> outbox_;
  std::vector<SessionOf> to_detach_;  // detach() detaches them, on the caller's thread
  bool lost_ = false;                 // a manager is lost: the run is over

  Finish finish_;

  Serial serial_;
  orb::TimerThread timer_;
  client::Worker reattaching_;
};

}  // namespace xbind::callgen
