#include "xbindctl/operated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "naming/names.hpp"

namespace xbind::ctl {
namespace {

std::vector<Daemon> one(PeerKind kind, const char* context, const std::string& name) {
  return {{kind, naming::path_of(context, name)}};
}

}  // namespace

OrFailure<std::vector<Daemon>> operated_daemons(orb::NameClient& names, const std::string& daemon,
                                                const std::string& name, const DaemonNames& of) {
  if (daemon == "all") return daemons(names);
  if (daemon == "manager") return one(PeerKind::kManager, naming::kConnectionManagers, of.manager);
  if (daemon == "routeobject") {
    return one(PeerKind::kRouteObject, naming::kRouteObjects, of.route_object);
  }
  if (daemon == "qosmapper") return one(PeerKind::kQosMapper, naming::kQosMappers, of.qos_mapper);
  return one(PeerKind::kSwitchServer, naming::kSwitchServers, name);
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
