// Commands about what SwitchServers store about managers.
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

// Between two questions whether hops are gone, and until the answer is given up.
constexpr std::chrono::milliseconds kClearPause{20};
constexpr std::chrono::seconds kClearPatience{10};

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
             ConnectionId connection) {
  return operate(names, path, [&](v2::SwitchOperations_ptr operations) {
    const TimePoint give_up = steady_now() + kClearPatience;
    CORBA::ULong removed = 0;
    for (;;) {
      const CORBA::ULong left = operations->clear_hops(manager.c_str(), connection.value());
      removed = std::max(removed, left);
      if (left == 0) break;
      if (steady_now() >= give_up) {
        return explain(fmt::format("{}: {} of manager '{}' cannot be removed: the switch does not "
                                   "confirm it",
                                   path, counted(left, "hop"), manager));
      }
      std::this_thread::sleep_for(kClearPause);
    }
    if (removed != 0) {
      say(fmt::format("{}: {} of manager '{}' removed", path, counted(removed, "hop"), manager));
    }
    return 0;
  });
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
                   const std::string& manager, bool release) {
  const auto paths = paths_of(names, switch_name);
  if (!paths) return 1;
  int exit_code = 0;
  if (release) {
    for (const std::string& path : *paths) {
      if (clear_at(names, path, manager, {}) != 0) exit_code = 1;
    }
    // A label is free once both ends of its link have confirmed the removal.
    if (exit_code != 0) {
      return explain(fmt::format("manager '{}' is not forgotten: repeat this when every "
                                 "SwitchServer can remove its hops",
                                 manager));
    }
  }
  for (const std::string& path : *paths) {
    if (forget_at(names, path, manager) != 0) exit_code = 1;
  }
  return exit_code;
}

int clear_hops(orb::NameClient& names, const std::string& manager, ConnectionId connection) {
  const auto paths = paths_of(names, "all");
  if (!paths) return 1;
  int exit_code = 0;
  for (const std::string& path : *paths) {
    if (clear_at(names, path, manager, connection) != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace xbind::ctl
