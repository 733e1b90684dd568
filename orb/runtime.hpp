// The ORB of one process: started once, with the settings that every program of ours needs.
//
// Settings (orb/runtime.cpp) and why:
//   maxGIOPConnectionPerServer 1       one connection to a peer's endpoint: oneways keep their order
//   maxServerThreadPerConnection 1     one thread a connection: no overtaking, no herd of threads
//   outConScanPeriod, inConScanPeriod 0  an idle connection stays; the next call needs no new one
//   clientCallTimeOutPeriod            every invocation ends, also to a peer that has stopped
//   clientConnectTimeOutPeriod         the same for connecting
//   socketSendBuffer                   a session's octet credit fits: a direct write cannot block. The kernel
//                                      grants at most net.core.wmem_max: see connection_credit()
//   verifyObjectExistsAndType 0        the first invocation is what it looks like: a oneway stays one
//   giopMaxMsgSize 16 MiB              pages of audits are far smaller
//   two endpoints                      the second one for batches only (activate_apart)
#pragma once

#include <omniORB4/CORBA.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/session/session.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {

struct RuntimeOptions {
  std::string listen_address = "127.0.0.1";  // numeric; where this process's objects are reached
  std::uint32_t call_timeout_ms = kOrbTimers.ms("call-timeout-ms").count();  // of a two-way call
  std::uint32_t connect_timeout_ms = kOrbTimers.ms("connect-timeout").count();
};

// Octets of sessions that may be under way on one connection so that a write to a peer that has stopped reading
// does not block: half of the send buffer that the kernel grants, the rest being for its own overhead. From
// 100 KiB where net.core.wmem_max is as delivered to 2 MiB where it is 4 MiB.
std::size_t connection_credit();

// `limits` with no more octets under way than that credit, shared by the `sessions` of one connection.
session::Limits within_connection(session::Limits limits, std::size_t sessions = 1);

class Runtime {
 public:
  // Starts the ORB; `arguments` may hold -ORB options of the operator (they win). Exits the process
  // with a sentence and code 2 if the ORB refuses them.
  Runtime(int argc, char** argv, const RuntimeOptions& options);
  // Destroys the ORB: no upcall is running or will run afterwards.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Ends all upcalls and takes no new ones; references can still be invoked. Idempotent.
  void shutdown();

  CORBA::ORB_ptr orb() { return orb_; }

  // Activates a servant (reference counted: the POA keeps one) and returns its reference.
  CORBA::Object_var activate(PortableServer::ServantBase* servant);
  // The same, but reached through the process's second endpoint, so that nothing else travels over
  // the connection that peers open to it. `key` is unique in the process.
  CORBA::Object_var activate_apart(PortableServer::ServantBase* servant, const std::string& key);

 private:
  std::string second_endpoint(CORBA::Object_ptr any_object);

  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  PortableServer::POA_var named_poa_;  // keys of our choice
};

}  // namespace xbind::orb
