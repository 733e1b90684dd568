// The outside world as the connection manager calls it. The daemon implements it with remote
// objects (remote_peers.hpp), tests with a few lines, the simulator with the other servants. Calls
// only queue: none may block, and none may call back into the manager.
#pragma once

#include <string>
#include <vector>

#include "cmgr/parts/route_cache.hpp"
#include "cmgr/parts/service.hpp"
#include "core/attach_table.hpp"
#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/session/session.hpp"
#include "core/session/session_end.hpp"

namespace xbind::cmgr {

// The QOSMapper's answer, or the reason why there is none.
struct ServiceReply {
  using Mapped = tl::expected<NetworkService, Refusal>;

  ServiceSpec service;
  Mapped mapped;
};

class Peers {
 public:
  virtual ~Peers() = default;

  // Sends a frame to the SwitchServer or client at the other end of the session.
  virtual void to_switch(SessionId session, const std::string& switch_name,
                         session::Frame<HopBatch> frame) = 0;
  virtual void to_client(SessionId session, session::Frame<OutcomeBatch> frame) = 0;
  // The outcome of a two-way call, identified by the token passed to request_local or
  // release_local.
  virtual void local_outcome(RequestId token, Outcome outcome) = 0;

  // Answered with on_routes(), also when RouteObject cannot be reached.
  virtual void ask_routes(std::vector<RouteQuery> queries) = 0;
  // Answered with on_services(), also when the QOSMapper cannot be reached.
  virtual void ask_services(std::vector<ServiceSpec> services) = 0;

  // Two-way: one invocation with these commands, for the engines that wait for every answer
  // (Config::one_by_one). Answered with on_invoked(), exactly once.
  virtual void invoke(SessionId session, const std::string& switch_name, HopBatch batch) = 0;

  // A path names an unknown switch, or a session has ended: attach (again) and report with
  // switch_attached().
  virtual void attach_switch(const std::string& switch_name, AttachTable::Lost lost) = 0;

  // The ledger of that switch was lost before this manager could read it. Attach (again), claim
  // ConnectionManager::claims_at(), read the ledger, and report with switch_claimed(),
  // switch_attached() and switch_holds().
  virtual void claim_lost(const std::string& switch_name) = 0;

  // Two-way: there is nothing that the SwitchServer may have lost and this manager can claim
  // (HopClaims::all). Answered with claims_finished(), once, also after a failure. Called again
  // while it is not known how many entries of the switch nobody has claimed.
  virtual void finish_claims(SessionId session, const std::string& switch_name) = 0;

  // The switch is no longer in the network: attach to it no more, until attach_switch() is called
  // again. Peers of a network that never changes need not implement it.
  virtual void let_go_of_switch(const std::string& /*switch_name*/) {}

  // The session has ended, for whatever reason: nothing more is sent in it, and the connection to
  // the peer may be closed once all frames have left. Peers sends `ending` to the client.
  virtual void switch_session_over(SessionId session) = 0;
  virtual void client_session_over(SessionId session, const SessionEnding& ending) = 0;
};

}  // namespace xbind::cmgr
