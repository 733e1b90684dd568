// Connects a Requester to CORBA: performs its actions and passes events to it.
//
//   callers, timer thread, ORB threads ──▶ Serial ──▶ Requester ──┬──▶ oneway to manager's inbox
//                                            ▲                    ├──▶ Events, within the Serial
//                                            └── two-way calls ◀──┘
//                                                (a thread of its own: resolve, attach, detach)
//
// No job in the Serial waits for a peer: oneways are bounded by the session's octet credit, which
// fits into the connection's socket (orb/runtime.hpp).
#pragma once

#include <functional>
#include <string>

#include "client/corba/manager_session.hpp"
#include "client/corba/worker.hpp"
#include "client/requester.hpp"
#include "connection_manager.hh"
#include "core/serial.hpp"
#include "orb/name_client.hpp"
#include "orb/runtime.hpp"
#include "orb/timer_thread.hpp"

namespace xbind::client {

class ManagerLink {
 public:
  // Called within the Serial: a callback must not block, and must not wait for the link.
  struct Events {
    std::function<void(const Outcome&)> answered;
    std::function<void(const Failure&)> failed;
    std::function<void(const Notice&)> noticed;
    std::function<void(const SessionChange&)> changed;
    std::function<void(const Error&)> ended;
  };

  // Attaches to xbind/cmgr/MANAGER, the manager of `identity`. The runtime must outlive the link.
  ManagerLink(orb::Runtime& runtime, const std::string& name_service, const Identity& identity,
              const Limits& limits, Events events);
  // Ends the requester (Requester::end()). No event comes afterwards.
  ~ManagerLink();
  ManagerLink(const ManagerLink&) = delete;
  ManagerLink& operator=(const ManagerLink&) = delete;

  // Any thread. Runs `job` within the Serial, perhaps before it returns.
  void post(std::function<void(Requester&, TimePoint)> job);
  // Runs `job` and waits for its end. Do not call it from an event or a job.
  void run(const std::function<void(Requester&, TimePoint)>& job);

 private:
  void after_drain();
  // Performs actions until the requester has none left.
  void perform(TimePoint now);
  // False: the ORB could not send a frame, and session_failed() was called.
  bool transmit(TimePoint now);

  // These run on the thread of the two-way calls.
  void attach(const Attach& wanted);
  Result<Attachment> attach_now(const Attach& wanted);
  void detach(SessionId session);

  const std::string peer_;  // in errors
  const std::string path_;
  Events events_;
  orb::NameClient names_;

  // Used by the two-way thread.
  v2::ConnectionManager_var manager_;

  // Used within the Serial.
  Requester requester_;
  RequestSender sender_;
  Actions actions_;  // kept for its memory

  Serial serial_;
  orb::TimerThread timer_;
  Observer observer_;
  Worker calls_;
};

}  // namespace xbind::client
