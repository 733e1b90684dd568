// What the connection manager asks of the world. In the daemon these are remote objects
// (remote_peers.hpp), in tests ten lines, in the simulator the other servants. Calls only queue: none
// may block, none may call back into the manager.
#pragma once

#include <string>
#include <vector>

#include "cmgr/parts/route_cache.hpp"
#include "cmgr/parts/service.hpp"
#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/session/session.hpp"
#include "core/session/session_end.hpp"

namespace xbind::cmgr {

// The QOSMapper's answer, or why there is none.
struct ServiceReply {
  using Mapped = tl::expected<NetworkService, Refusal>;

  ServiceSpec service;
  Mapped mapped;
};

class Peers {
 public:
  virtual ~Peers() = default;

  // A frame for the SwitchServer / the client at the other end of that session.
  virtual void to_switch(SessionId session, const std::string& switch_name,
                         session::Frame<HopBatch> frame) = 0;
  virtual void to_client(SessionId session, session::Frame<OutcomeBatch> frame) = 0;
  // The outcome of a two-way call, by the token that connect_local or release_local was given.
  virtual void local_outcome(RequestId token, Outcome outcome) = 0;

  // Answer with on_routes(), also when RouteObject cannot be asked.
  virtual void ask_routes(std::vector<RouteQuery> queries) = 0;
  // Answer with on_services(), also when the QOSMapper cannot be asked.
  virtual void ask_services(std::vector<ServiceSpec> services) = 0;

  // Two-way: one invocation with these commands, for the engines that wait for every answer
  // (Config::one_by_one). Answer with on_invoked(), exactly once.
  virtual void invoke(SessionId session, const std::string& switch_name, HopBatch batch) = 0;

  // A path names a switch that was never heard of, or a session was given up: attach (again) and
  // report with switch_attached().
  virtual void attach_switch(const std::string& switch_name) = 0;

  // The session has ended, in whichever way: nothing is said in it any more, and what leads to its
  // peer may go once all that was said has gone out. Peers tells a client `ending`.
  virtual void switch_session_over(SessionId session) = 0;
  virtual void client_session_over(SessionId session, const SessionEnding& ending) = 0;
};

}  // namespace xbind::cmgr
