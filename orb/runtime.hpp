// The ORB of a process: started once, with the settings that all our programs need.
//
// Settings (orb/runtime.cpp) and why:
//   maxGIOPConnectionPerServer 1       one connection per endpoint of a peer: oneways stay in order
//   maxServerThreadPerConnection 1     one thread per connection: no overtaking, few threads
//   outConScanPeriod 10                a connection that no call uses is closed: a client that has
//                                      gone would leave its descriptor for ever
//   inConScanPeriod 0                  a peer's call never meets a connection that was just closed
//   clientCallTimeOutPeriod            every invocation ends, also to a peer that has stopped
//   clientConnectTimeOutPeriod         the same for connecting
//   socketSendBuffer                   holds a session's octet credit, so a direct write cannot
//                                      block; at most net.core.wmem_max: see connection_credit()
//   verifyObjectExistsAndType 0        no extra round trip before an object's first invocation
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
  std::string listen_address = "127.0.0.1";  // numeric; address of this process's objects
  std::uint32_t call_timeout_ms = kOrbTimers.ms("call-timeout-ms").count();  // of a two-way call
  std::uint32_t connect_timeout_ms = kOrbTimers.ms("connect-timeout").count();
};

// Octets of sessions that may be unconfirmed on one connection without a write to a stopped peer
// blocking: half of the send buffer that the kernel grants; the kernel's overhead uses the rest.
// From 100 KiB with the default net.core.wmem_max to 2 MiB with 4 MiB.
std::size_t connection_credit();

// Returns `limits` with no more unconfirmed octets than that credit, which the `sessions` of one
// connection share.
session::Limits within_connection(session::Limits limits, std::size_t sessions = 1);

class Runtime {
 public:
  // Starts the ORB. The operator's -ORB options in `arguments` take precedence. Exits the process
  // with a sentence and code 2 if the ORB refuses them.
  Runtime(int argc, char** argv, const RuntimeOptions& options);
  // Destroys the ORB: no upcall runs afterwards.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Ends all upcalls and accepts no new ones; references can still be invoked. Idempotent.
  void shutdown();

  CORBA::ORB_ptr orb() { return orb_; }

  // Activates a servant (reference-counted: the POA holds one) and returns its reference.
  CORBA::Object_var activate(PortableServer::ServantBase* servant);
  // Activates a servant behind the process's second endpoint, so that no other traffic uses the
  // connections that peers open to it. `key` is unique in the process.
  CORBA::Object_var activate_apart(PortableServer::ServantBase* servant, const std::string& key);

 private:
  std::string second_endpoint(CORBA::Object_ptr any_object);

  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  PortableServer::POA_var named_poa_;  // with object keys that we choose
};

}  // namespace xbind::orb
