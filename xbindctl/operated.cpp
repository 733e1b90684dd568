#include "xbindctl/operated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "connection_manager.hh"
#include "naming/names.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "switch_server.hh"

namespace xbind::ctl {
namespace {

std::string path_in(const char* context, const std::string& name) {
  return naming::path_of(context, name);
}

OperatedDaemon manager_at(std::string path) {
  return {PeerKind::kManager, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::ConnectionManager::_unchecked_narrow(object);
            return v2::ConnectionManager_var(daemon)->manager_operations();
          }};
}
OperatedDaemon route_object_at(std::string path) {
  return {PeerKind::kRouteObject, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::RouteObject::_unchecked_narrow(object);
            return v2::RouteObject_var(daemon)->route_operations();
          }};
}
OperatedDaemon qos_mapper_at(std::string path) {
  return {PeerKind::kQosMapper, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::QOSMapper::_unchecked_narrow(object);
            return v2::QOSMapper_var(daemon)->qos_operations();
          }};
}
OperatedDaemon switch_server_at(std::string path) {
  return {PeerKind::kSwitchServer, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::SwitchServer::_unchecked_narrow(object);
            return v2::SwitchServer_var(daemon)->switch_operations();
          }};
}

// Every daemon that is bound in the name service.
OrFailure<std::vector<OperatedDaemon>> all_daemons(orb::NameClient& names) {
  std::vector<OperatedDaemon> all;
  std::optional<Failure> failure;
  const auto add = [&](const char* context, OperatedDaemon (*daemon_at)(std::string)) {
    auto bound = names.list(std::string{naming::kRoot} + "/" + context);
    if (!bound && bound.error().code == ErrorCode::kNotFound) return;  // none has started yet
    if (!bound && !failure) failure = failure_of(bound.error(), name_service_at(names.service()));
    if (!bound) return;
    for (std::string& path : *bound) all.push_back(daemon_at(std::move(path)));
  };
  add(naming::kConnectionManagers, manager_at);
  add(naming::kRouteObjects, route_object_at);
  add(naming::kQosMappers, qos_mapper_at);
  add(naming::kSwitchServers, switch_server_at);
  if (failure) return tl::make_unexpected(*failure);
  return all;
}

}  // namespace

OrFailure<std::vector<OperatedDaemon>> operated_daemons(orb::NameClient& names,
                                                        const std::string& daemon,
                                                        const std::string& name,
                                                        const DaemonNames& of) {
  if (daemon == "all") return all_daemons(names);
  if (daemon == "manager") {
    return std::vector{manager_at(path_in(naming::kConnectionManagers, of.manager))};
  }
  if (daemon == "routeobject") {
    return std::vector{route_object_at(path_in(naming::kRouteObjects, of.route_object))};
  }
  if (daemon == "qosmapper") {
    return std::vector{qos_mapper_at(path_in(naming::kQosMappers, of.qos_mapper))};
  }
  return std::vector{switch_server_at(path_in(naming::kSwitchServers, name))};
}

const std::vector<std::string>& daemon_words() {
  static const std::vector<std::string> words{"manager", "routeobject", "qosmapper", "switchserver",
                                              "all"};
  return words;
}

std::optional<std::string> fault_of_daemon(const std::vector<std::string>& words) {
  if (std::ranges::find(daemon_words(), words[1]) != daemon_words().end()) return std::nullopt;
  return fmt::format("{}: DAEMON '{}' is none of {}", words[0], words[1],
                     fmt::join(daemon_words(), ", "));
}

}  // namespace xbind::ctl
