#include "xbindctl/fleet.hpp"
#include "xbindctl/timers.hpp"

#include <fmt/format.h>
#include <omniORB4/CORBA.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "connection_manager.hh"
#include "core/utc_text.hpp"
#include "keeper.hh"
#include "naming/names.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "switch_server.hh"

namespace xbind::ctl {
namespace {

struct Context {
  const char* name;
  PeerKind kind;
};
constexpr Context kContexts[] = {{naming::kConnectionManagers, PeerKind::kManager},
                                 {naming::kQosMappers, PeerKind::kQosMapper},
                                 {naming::kRouteObjects, PeerKind::kRouteObject},
                                 {naming::kSwitchServers, PeerKind::kSwitchServer},
                                 {naming::kKeepers, PeerKind::kKeeper}};

std::optional<Daemon> daemon_at(const std::string& path) {
  for (const Context& context : kContexts) {
    if (path.starts_with(naming::path_of(context.name, ""))) return Daemon{context.kind, path};
  }
  return std::nullopt;
}

constexpr auto kAnswer = kXbindctlTimers.ms("daemon-answer");

}  // namespace

v2::Logged_ptr operations_at(PeerKind kind, CORBA::Object_ptr object) {
  switch (kind) {
    case PeerKind::kManager: {
      const v2::ConnectionManager_var daemon = v2::ConnectionManager::_unchecked_narrow(object);
      return daemon->manager_operations();
    }
    case PeerKind::kSwitchServer: {
      const v2::SwitchServer_var daemon = v2::SwitchServer::_unchecked_narrow(object);
      return daemon->switch_operations();
    }
    case PeerKind::kRouteObject: {
      const v2::RouteObject_var daemon = v2::RouteObject::_unchecked_narrow(object);
      return daemon->route_operations();
    }
    // Operators alone use it.
    case PeerKind::kKeeper: return v2::KeeperOperations::_unchecked_narrow(object);
    default: break;
  }
  const v2::QOSMapper_var daemon = v2::QOSMapper::_unchecked_narrow(object);
  return daemon->qos_operations();
}

OrFailure<std::vector<Daemon>> daemons(orb::NameClient& names) {
  auto bound = names.list_or_known(naming::kRoot);
  if (!bound) return failed(bound.error(), name_service_at(names.service()));
  std::vector<Daemon> found;
  for (const std::string& path : *bound) {
    if (auto daemon = daemon_at(path)) found.push_back(std::move(*daemon));
  }
  if (found.empty()) {
    return failed(ErrorCode::kNotFound,
                  fmt::format("no daemon is bound below {} at {}", naming::kRoot, names.service()));
  }
  return found;
}

OrFailure<Daemon> daemon_named(const std::string& name) {
  if (auto daemon = daemon_at(std::string{naming::kRoot} + "/" + name)) return std::move(*daemon);
  return failed(ErrorCode::kNotFound, fmt::format("'{}' names no daemon", printable(name)),
                "names are as in `xbindctl alarms`: cmgr/default, switchserver/switch-1");
}

OrFailure<Operators> operators_of(orb::NameClient& names, const Daemon& daemon) {
  const auto object = resolved(names, daemon.kind, daemon.path);
  if (!object) return tl::make_unexpected(object.error());
  omniORB::setClientCallTimeout(*object, kAnswer.count());
  return call_peer(peer_of(daemon.kind, daemon.path, *object), *object,
                   [&]() -> OrFailure<Operators> {
                     const v2::Logged_var operations = operations_at(daemon.kind, *object);
                     Operators operators{v2::Alarmed::_unchecked_narrow(operations),
                                         v2::Recorded::_unchecked_narrow(operations)};
                     omniORB::setClientCallTimeout(operators.alarms, kAnswer.count());
                     omniORB::setClientCallTimeout(operators.events, kAnswer.count());
                     return operators;
                   });
}

std::string time_of_alarm(std::uint64_t utc_ms) {
  if (utc_ms == 0) return "-";
  return utc_text(std::chrono::seconds{static_cast<std::int64_t>(utc_ms / 1'000)});
}

}  // namespace xbind::ctl
