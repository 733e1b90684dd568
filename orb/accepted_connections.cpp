#include "orb/accepted_connections.hpp"

#include <fmt/format.h>
#include <omniORB4/CORBA.h>
#include <omniORB4/omniInterceptors.h>

#include <utility>

#include "orb/peer_faults.hpp"

namespace xbind::orb {
namespace {

CORBA::Boolean on_accept(omni::omniInterceptors::serverAcceptConnection_T::info_T& info) {
  constexpr std::string_view kTcp = "giop:tcp:";
  std::string_view peer = info.peeraddress() == nullptr ? "" : info.peeraddress();
  if (!peer.starts_with(kTcp)) return true;
  peer.remove_prefix(kTcp.size());
  if (accepted_connections().admit(peer.substr(0, peer.rfind(':')))) return true;
  note_fault(PeerFault::kRefused, peer,
             fmt::format("{} are open; --accepted-max and --accepted-per-host-max limit them",
                         accepted_connections().open()));
  info.reject = true;
  info.why = "too many connections";
  return true;
}

}  // namespace

void AcceptedConnections::set_limits(const ConnectionLimits& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

ConnectionLimits AcceptedConnections::limits() const {
  const std::lock_guard lock(mutex_);
  return limits_;
}

bool AcceptedConnections::admit(std::string_view host) {
  const std::lock_guard lock(mutex_);
  if (open_ >= limits_.total) return false;
  auto known = hosts_.find(host);
  if (known == hosts_.end()) known = hosts_.emplace(std::string{host}, 0).first;
  if (known->second >= limits_.per_host) return false;
  ++known->second;
  ++open_;
  return true;
}

void AcceptedConnections::seen(const std::vector<std::string>& hosts) {
  const std::lock_guard lock(mutex_);
  hosts_.clear();
  for (const std::string& host : hosts) ++hosts_[host];
  open_ = hosts.size();
}

std::size_t AcceptedConnections::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

AcceptedConnections& accepted_connections() {
  static AcceptedConnections connections;
  return connections;
}

void limit_accepted_connections() {
  static std::once_flag once;
  std::call_once(once, [] { omniORB::getInterceptors()->serverAcceptConnection.add(on_accept); });
}

}  // namespace xbind::orb
