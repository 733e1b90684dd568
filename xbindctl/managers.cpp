// Commands about what SwitchServers store about managers.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "client/timers.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

// The names of these SwitchServers; nullopt: they are not known, which has been explained.
std::optional<std::vector<std::string>> paths_of(orb::NameClient& names,
                                                 const std::string& switch_name) {
  if (switch_name != "all") return {{naming::path_of(naming::kSwitchServers, switch_name)}};
  const std::string context = std::string{naming::kRoot} + "/" + naming::kSwitchServers;
  auto bound = names.list(context);
  if (!bound) {
    explain(bound.error().text);
    return std::nullopt;
  }
  if (bound->empty()) {
    explain(fmt::format("no SwitchServer is bound below {}", context));
    return std::nullopt;
  }
  return std::move(*bound);
}

// Calls the operators' interface of the SwitchServer.
template <class Ask>
int operate(orb::NameClient& names, const std::string& path, Ask ask) {
  const auto object = names.resolve(path);
  if (!object) return explain(object.error().text);
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  return guarded(
      path, server,
      [&] {
        const v2::SwitchOperations_var operations = server->switch_operations();
        return ask(operations.in());
      },
      [&](const v2::BadRequest& refused) {
        return explain(fmt::format("{}: {}", path, refused.reason.in()));
      });
}

int forget_at(orb::NameClient& names, const std::string& path, const std::string& manager) {
  return operate(names, path, [&](v2::SwitchOperations_ptr operations) {
    const CORBA::ULong hops = operations->forget_manager(manager.c_str());
    say(fmt::format("{}: manager '{}' is forgotten, {} {}", path, manager, counted(hops, "hop"),
                    hops == 1 ? "stays" : "stay"));
    return 0;
  });
}

// Removes the hops and waits until the switch has confirmed it.
int clear_at(orb::NameClient& names, const std::string& path, const std::string& manager,
             ConnectionId connection, const Pause& pause) {
  return operate(names, path, [&](v2::SwitchOperations_ptr operations) {
    const TimePoint give_up = steady_now() + client::kClientTimers["clear-patience"];
    CORBA::ULong removed = 0;
    for (;;) {
      const CORBA::ULong left = operations->clear_hops(manager.c_str(), connection.value());
      removed = std::max(removed, left);
      if (left == 0) break;
      if (steady_now() >= give_up) {
        return explain(
            fmt::format("{}: {} of manager '{}' cannot be removed: the switch does not "
                        "confirm it",
                        path, counted(left, "hop"), manager));
      }
      pause();
    }
    if (removed != 0) {
      say(fmt::format("{}: {} of manager '{}' removed", path, counted(removed, "hop"), manager));
    }
    return 0;
  });
}

// The SwitchServers among these that know the manager; nullopt: one of them has not answered.
std::optional<std::vector<std::string>> knowing(orb::NameClient& names,
                                                const std::vector<std::string>& paths,
                                                const std::string& manager) {
  std::vector<std::string> those;
  for (const std::string& path : paths) {
    const int asked = operate(names, path, [&](v2::SwitchOperations_ptr operations) {
      const v2::ManagerHoldingsSeq_var all = operations->managers();
      for (CORBA::ULong i = 0; i < all->length(); ++i) {
        if (all.in()[i].manager.in() == manager) those.push_back(path);
      }
      return 0;
    });
    if (asked != 0) return std::nullopt;
  }
  return those;
}

// Removes all hops of the manager and has it forgotten where that succeeds everywhere: a label is
// free once both ends of its link have confirmed the removal.
int release_and_forget(orb::NameClient& names, const std::vector<std::string>& paths,
                       const std::string& manager, const Pause& pause) {
  const auto those = knowing(names, paths, manager);
  if (those && those->empty()) return explain(fmt::format("no manager '{}' is known", manager));
  bool cleared = those.has_value();
  for (const std::string& path : those.value_or(std::vector<std::string>{})) {
    cleared = clear_at(names, path, manager, {}, pause) == 0 && cleared;
  }
  if (!cleared) {
    return explain(
        fmt::format("manager '{}' is not forgotten: repeat this when every SwitchServer "
                    "can remove its hops",
                    manager));
  }
  // The name of a forgotten manager goes with its last hop.
  const auto left = knowing(names, *those, manager);
  int exit_code = left ? 0 : 1;
  for (const std::string& path : left.value_or(std::vector<std::string>{})) {
    if (forget_at(names, path, manager) != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace

int managers(orb::NameClient& names, const std::string& switch_name) {
  const auto paths = paths_of(names, switch_name);
  if (!paths) return 1;
  std::vector<Row> rows{{"switchserver", "manager", "state", "hops", "epoch"}};
  int exit_code = 0;
  for (const std::string& path : *paths) {
    const int asked = operate(names, path, [&](v2::SwitchOperations_ptr operations) {
      const v2::ManagerHoldingsSeq_var all = operations->managers();
      for (CORBA::ULong i = 0; i < all->length(); ++i) {
        const v2::ManagerHoldings& one = all.in()[i];
        const char* const absent = one.forgotten ? "forgotten" : "absent";
        rows.push_back({path.substr(path.rfind('/') + 1), printable(one.manager.in()),
                        one.attached ? "attached" : absent, fmt::format("{}", one.hops),
                        fmt::format("{}", one.manager_epoch)});
      }
      return 0;
    });
    if (asked != 0) exit_code = 1;
  }
  print_table(3, rows);
  return exit_code;
}

int forget_manager(orb::NameClient& names, const std::string& switch_name,
                   const std::string& manager, bool release, const Pause& pause) {
  const auto paths = paths_of(names, switch_name);
  if (!paths) return 1;
  if (release) return release_and_forget(names, *paths, manager, pause);
  int exit_code = 0;
  for (const std::string& path : *paths) {
    if (forget_at(names, path, manager) != 0) exit_code = 1;
  }
  return exit_code;
}

int clear_hops(orb::NameClient& names, const std::string& manager, ConnectionId connection,
               const Pause& pause) {
  const auto paths = paths_of(names, "all");
  if (!paths) return 1;
  const auto those = knowing(names, *paths, manager);
  if (those && those->empty()) return explain(fmt::format("no manager '{}' is known", manager));
  int exit_code = those ? 0 : 1;
  for (const std::string& path : those.value_or(std::vector<std::string>{})) {
    if (clear_at(names, path, manager, connection, pause) != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace xbind::ctl
