// The command that changes the log level of a running daemon.
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "connection_manager.hh"
#include "core/log_output.hpp"
#include "naming/names.hpp"
#include "route_object.hh"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {
namespace {

const std::vector<std::string>& daemons() {
  static const std::vector<std::string> words{"manager", "routeobject", "switchserver"};
  return words;
}

// Changes the level at the operators' interface that `interface_of` asks the daemon for.
template <class Daemon, class InterfaceOf>
Told set_level(orb::NameClient& names, PeerKind kind, const std::string& path,
               const std::string& level, InterfaceOf interface_of) {
  const auto object = resolved(names, kind, path);
  if (!object) return tl::make_unexpected(object.error());
  const typename Daemon::_var_type daemon = Daemon::_unchecked_narrow(*object);
  return told_by(peer_of(kind, path, daemon), daemon, [&]() -> Told {
    const v2::Logged_var logged = interface_of(daemon.in());
    logged->set_log_level(level.c_str());
    return Document{{{"daemon", path}, {"level", level}}};
  });
}

}  // namespace

std::optional<std::string> fault_of_log_level(const std::vector<std::string>& words) {
  if (words.front() != "log-level") return std::nullopt;
  if (std::ranges::find(daemons(), words[1]) == daemons().end()) {
    return fmt::format("log-level: DAEMON '{}' is none of {}", words[1],
                       fmt::join(daemons(), ", "));
  }
  const bool named = words[1] == "switchserver";
  if (named != (words.size() == 4)) {
    return named ? "log-level switchserver needs a NAME and a LEVEL"
                 : fmt::format("log-level {} takes a LEVEL alone: option --{} names it", words[1],
                               words[1]);
  }
  if (log::level_of(words.back())) return std::nullopt;
  return fmt::format("log-level: LEVEL '{}' is none of {}", words.back(),
                     fmt::join(log::level_names(), ", "));
}

Told log_level_document(orb::NameClient& names, const std::vector<std::string>& words,
                        const std::string& manager, const std::string& route_object) {
  const std::string& level = words.back();
  if (words[1] == "manager") {
    return set_level<v2::ConnectionManager>(
        names, PeerKind::kManager, naming::path_of(naming::kConnectionManagers, manager), level,
        [](v2::ConnectionManager_ptr daemon) { return daemon->manager_operations(); });
  }
  if (words[1] == "routeobject") {
    return set_level<v2::RouteObject>(
        names, PeerKind::kRouteObject, naming::path_of(naming::kRouteObjects, route_object), level,
        [](v2::RouteObject_ptr daemon) { return daemon->route_operations(); });
  }
  return set_level<v2::SwitchServer>(
      names, PeerKind::kSwitchServer, naming::path_of(naming::kSwitchServers, words[2]), level,
      [](v2::SwitchServer_ptr daemon) { return daemon->switch_operations(); });
}

int log_level(orb::NameClient& names, const std::vector<std::string>& words,
              const std::string& manager, const std::string& route_object) {
  const Told done = log_level_document(names, words, manager, route_object);
  if (!done) return explain(done.error());
  say(fmt::format("{}: the log level is {}", done->body.at("daemon").get<std::string>(),
                  done->body.at("level").get<std::string>()));
  return 0;
}

}  // namespace xbind::ctl
