#include "orb/runtime.hpp"

#include <omniORB4/giopEndpoint.h>
#include <omniORB4/omniIOR.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/check.hpp"
#include "core/config/host_port.hpp"
#include "core/shortage.hpp"
#include "orb/accepted_connections.hpp"
#include "orb/caller.hpp"
#include "orb/oneway.hpp"
#include "orb/peer_faults.hpp"
#include "orb/timers.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

// The catch clauses of this file are for the start and end of this process's own ORB. No peer is
// involved: these exceptions concern options and upcalls, not a remote call.
namespace xbind::orb {
namespace {

constexpr int kSocketSendBuffer = 4 * 1024 * 1024;
constexpr int kDescriptorsOfOrb = 12;  // about as many as it opens at its start

std::size_t granted_credit() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int granted = 0;
  socklen_t size = sizeof granted;
  const bool known =
      probe >= 0 &&
      setsockopt(probe, SOL_SOCKET, SO_SNDBUF, &kSocketSendBuffer, sizeof kSocketSendBuffer) == 0 &&
      getsockopt(probe, SOL_SOCKET, SO_SNDBUF, &granted, &size) == 0;
  if (probe >= 0) close(probe);
  // Linux reports twice the granted size (socket(7)).
  return known ? static_cast<std::size_t>(granted) / 4 : 64 * 1024;
}

// omniORB never frees its two first POAs. Without this the leak sanitizer would report them at the
// end of every program.
class OrbStart {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler disabled_;
#endif
};

}  // namespace

std::size_t connection_credit() {
  static const std::size_t credit = granted_credit();  // queried once, not for each of many
                                                       // switches
  return credit;
}

session::Limits within_connection(session::Limits limits, std::size_t sessions) {
  limits.octets_in_flight = std::min(limits.octets_in_flight, connection_credit() / sessions);
  return limits;
}

Runtime::Runtime(int argc, char** argv, const RuntimeOptions& options) {
  const std::string endpoint = "giop:tcp:" + bracketed(options.listen_address) + ":";
  const std::string call_timeout = std::to_string(options.call_timeout_ms);
  const std::string connect_timeout = std::to_string(options.connect_timeout_ms);
  const std::string idle_outgoing = std::to_string(kOrbTimers.ms("idle-outgoing").count() / 1000);
  const std::string send_buffer = std::to_string(kSocketSendBuffer);
  const char* settings[][2] = {
      {"endPoint", endpoint.c_str()},
      {"endPoint", endpoint.c_str()},
      {"maxGIOPConnectionPerServer", "1"},
      {"maxServerThreadPerConnection", "1"},
      {"outConScanPeriod", idle_outgoing.c_str()},
      {"inConScanPeriod", "0"},
      {"clientCallTimeOutPeriod", call_timeout.c_str()},
      {"clientConnectTimeOutPeriod", connect_timeout.c_str()},
      {"socketSendBuffer", send_buffer.c_str()},
      {"verifyObjectExistsAndType", "0"},
      {"giopMaxMsgSize", "16777216"},
      {nullptr, nullptr},
  };
  [[maybe_unused]] const OrbStart start{};
  take_orb_log();
  try {
    orb_ = CORBA::ORB_init(argc, argv, "omniORB4", settings);
    CORBA::Object_var object = orb_->resolve_initial_references("RootPOA");
    poa_ = PortableServer::POA::_narrow(object);
    object = orb_->resolve_initial_references("omniINSPOA");
    named_poa_ = PortableServer::POA::_narrow(object);
    poa_->the_POAManager()->activate();
    named_poa_->the_POAManager()->activate();
    record_callers();
    guard_oneways();
    watch_peer_faults();
    limit_accepted_connections();
  } catch (const CORBA::SystemException& error) {
    end_if_short_of_descriptors(kDescriptorsOfOrb);
    std::fprintf(stderr, "the ORB refuses to start (%s, %s): is %s an address of this machine?\n",
                 error._name(), error.NP_minorString() ? error.NP_minorString() : "no detail",
                 options.listen_address.c_str());
    std::exit(2);
  }
}

Runtime::~Runtime() {
  try {
    orb_->destroy();
  } catch (const CORBA::Exception& error) {
    std::fprintf(stderr, "the ORB failed to shut down: %s\n", error._name());
  }
}

void Runtime::shutdown() {
  try {
    if (CORBA::is_nil(poa_)) return;
    poa_->destroy(true, true);  // and named_poa_ below it
    poa_ = PortableServer::POA::_nil();
    named_poa_ = PortableServer::POA::_nil();
  } catch (const CORBA::Exception& error) {
    std::fprintf(stderr, "the object adapter failed to shut down: %s\n", error._name());
  }
}

CORBA::Object_var Runtime::activate(PortableServer::ServantBase* servant) {
  const PortableServer::ObjectId_var id = poa_->activate_object(servant);
  return poa_->id_to_reference(id);
}

CORBA::Object_var Runtime::activate_apart(PortableServer::ServantBase* servant,
                                          const std::string& key) {
  const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(key.c_str());
  named_poa_->activate_object_with_id(id, servant);
  const CORBA::Object_var usual = named_poa_->id_to_reference(id);
  const std::string location = "corbaloc:iiop:1.2@" + second_endpoint(usual) + "/" + key;
  return orb_->string_to_object(location.c_str());
}

std::string Runtime::second_endpoint(CORBA::Object_ptr any_object) {
  // The reference has every endpoint of the process; the last one is reserved for batches.
  const omniIOR_var ior = any_object->_PR_getobj()->_getIOR();
  auto& addresses = ior->getIORInfo()->addresses();
  XB_CHECK(addresses.size() >= 2, addresses.size());
  const std::string address = addresses.back()->address();  // "giop:tcp:127.0.0.1:41234"
  return address.substr(std::string{"giop:tcp:"}.size());
}

}  // namespace xbind::orb
