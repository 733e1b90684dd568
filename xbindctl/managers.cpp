// Commands about what SwitchServers store about managers.
#include "xbindctl/managers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <type_traits>

#include "core/manager_epochs.hpp"
#include "core/steady_now.hpp"
#include "core/timers.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/network.hpp"
#include "xbindctl/timers.hpp"

namespace xbind::ctl {
namespace {

// Here, because clang 14 takes no consteval function within a template.
constexpr Duration kLease = kCoreTimers["lease"];

using Paths = std::vector<std::string>;

// Whether names found earlier may stand for those of a name service that is away.
enum class Sources : std::uint8_t { kServiceOnly, kKnownToo };

// The names of these SwitchServers in the name service.
OrFailure<Paths> paths_of(orb::NameClient& names, const std::string& switch_name, Sources sources) {
  if (switch_name != "all") return Paths{naming::path_of(naming::kSwitchServers, switch_name)};
  const std::string context = std::string{naming::kRoot} + "/" + naming::kSwitchServers;
  auto bound = sources == Sources::kKnownToo ? names.list_or_known(context) : names.list(context);
  if (!bound) return failed(bound.error(), name_service_at(names.service()));
  if (bound->empty()) {
    return failed(ErrorCode::kNotFound, fmt::format("no SwitchServer is bound below {}", context));
  }
  return std::move(*bound);
}

// Calls the operators' interface of the SwitchServer; `ask` returns an OrFailure.
template <class Ask>
auto operate(orb::NameClient& names, const std::string& path, const Ask& ask)
    -> std::invoke_result_t<Ask, v2::SwitchOperations_ptr> {
  const auto object = resolved(names, PeerKind::kSwitchServer, path);
  if (!object) return tl::make_unexpected(object.error());
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  auto done = call_peer(peer_of(PeerKind::kSwitchServer, path, server), server, [&] {
    const v2::SwitchOperations_var operations = server->switch_operations();
    return ask(operations.in());
  });
  // The only request that a SwitchServer refuses so is about a manager with a session.
  if (!done && done.error().name == to_string(ErrorCode::kBadInput) &&
      done.error().advice.empty()) {
    done.error().advice = fmt::format(
        "if the manager was killed, repeat this when its lease is over, by default after {:g} s; "
        "while it runs, use `xbindctl release`",
        std::chrono::duration<double>(kLease).count());
  }
  return done;
}

SwitchNote note_of(const std::string& path, const OrFailure<std::uint64_t>& hops,
                   const std::string& text) {
  SwitchNote note{path, text, {}, 0};
  if (hops) {
    note.hops = *hops;
  } else {
    note.failure = hops.error();
    // An error that names the path already is complete.
    note.text = hops.error().text.find(path) == std::string::npos
                    ? fmt::format("{}: {}", path, hops.error().text)
                    : hops.error().text;
  }
  return note;
}

bool forget_at(orb::NameClient& names, const std::string& path, const std::string& manager,
               const OnSwitch& tell) {
  const auto left = operate(names, path, [&](v2::SwitchOperations_ptr operations) {
    return OrFailure<std::uint64_t>(operations->forget_manager(manager.c_str()));
  });
  tell(note_of(path, left,
               fmt::format("{}: manager '{}' is forgotten, {} {}", path, manager,
                           counted(left.value_or(0), "hop"), left == 1U ? "stays" : "stay")));
  return left.has_value();
}

// Removes the hops and waits until the switch has confirmed it.
bool clear_at(orb::NameClient& names, const std::string& path, const std::string& manager,
              ConnectionId connection, const Pause& pause, const OnSwitch& tell) {
  const auto cleared =
      operate(names, path, [&](v2::SwitchOperations_ptr operations) -> OrFailure<std::uint64_t> {
        const TimePoint give_up = steady_now() + kXbindctlTimers["clear-patience"];
        CORBA::ULong removed = 0;
        for (;;) {
          const CORBA::ULong left = operations->clear_hops(manager.c_str(), connection.value());
          removed = std::max(removed, left);
          if (left == 0) return removed;
          if (steady_now() >= give_up) {
            return failed(ErrorCode::kTimeout,
                          fmt::format("{}: {} of manager '{}' cannot be removed: the switch does "
                                      "not confirm it",
                                      path, counted(left, "hop"), manager));
          }
          pause();
        }
      });
  if (!cleared || *cleared != 0) {
    tell(note_of(path, cleared,
                 fmt::format("{}: {} of manager '{}' removed", path,
                             counted(cleared.value_or(0), "hop"), manager)));
  }
  return cleared.has_value();
}

// The SwitchServers among these that know the manager; nullopt: one of them has not answered.
std::optional<Paths> knowing(orb::NameClient& names, const Paths& paths, const std::string& manager,
                             const OnSwitch& tell) {
  Paths those;
  for (const std::string& path : paths) {
    const auto known =
        operate(names, path, [&](v2::SwitchOperations_ptr operations) -> OrFailure<std::uint64_t> {
          const v2::ManagerHoldingsSeq_var all = operations->managers();
          std::uint64_t found = 0;
          for (CORBA::ULong i = 0; i < all->length(); ++i) {
            if (all.in()[i].manager.in() == manager) ++found;
          }
          return found;
        });
    if (!known) {
      tell(note_of(path, known, {}));
      return std::nullopt;
    }
    if (*known != 0) those.push_back(path);
  }
  return those;
}

tl::unexpected<Failure> unknown_manager(const std::string& manager) {
  return failed(ErrorCode::kNotFound, fmt::format("no manager '{}' is known", manager),
                "`xbindctl managers all` lists the managers that SwitchServers know");
}

// What the SwitchServer knows of the manager's epochs. Fails if the manager is attached to it.
OrFailure<ManagerEpochs> epochs_at(orb::NameClient& names, const std::string& path,
                                   const std::string& manager) {
  const auto object = resolved(names, PeerKind::kSwitchServer, path);
  if (!object) return tl::make_unexpected(object.error());
  const v2::SwitchServer_var server = v2::SwitchServer::_unchecked_narrow(*object);
  return call_peer(
      peer_of(PeerKind::kSwitchServer, path, server), server, [&]() -> OrFailure<ManagerEpochs> {
        const v2::SwitchOperations_var operations = server->switch_operations();
        const v2::ManagerHoldingsSeq_var there = operations->managers();
        for (CORBA::ULong i = 0; i < there->length(); ++i) {
          const v2::ManagerHoldings& one = there.in()[i];
          if (one.manager.in() != manager || !one.attached) continue;
          return failed(ErrorCode::kBadInput, fmt::format("manager {} is attached, with epoch {}",
                                                          manager, one.manager_epoch));
        }
        const v2::ManagerEpochs_var epochs = server->epochs_of(manager.c_str());
        return orb::to_core(epochs.in());
      });
}

// What these SwitchServers know together. nullopt: one of them has failed.
std::optional<ManagerEpochs> epochs_everywhere(orb::NameClient& names, const Paths& paths,
                                               const std::string& manager, const OnSwitch& tell) {
  ManagerEpochs all;
  bool known_everywhere = true;
  for (const std::string& path : paths) {
    const auto known = epochs_at(names, path, manager);
    if (known) {
      merge(all, *known);
    } else {
      tell(note_of(path, tl::make_unexpected(known.error()), {}));
      known_everywhere = false;
    }
  }
  return known_everywhere ? std::optional(std::move(all)) : std::nullopt;
}

// Removes all hops of the manager and has it forgotten where that succeeds everywhere: a label is
// free once both ends of its link have confirmed the removal.
OrFailure<bool> release_and_forget(orb::NameClient& names, const Paths& paths,
                                   const std::string& manager, const Pause& pause,
                                   const OnSwitch& tell) {
  const auto those = knowing(names, paths, manager, tell);
  if (those && those->empty()) return unknown_manager(manager);
  bool cleared = those.has_value();
  for (const std::string& path : those.value_or(Paths{})) {
    cleared = clear_at(names, path, manager, {}, pause, tell) && cleared;
  }
  if (!cleared) {
    return failed(ErrorCode::kTimeout,
                  fmt::format("manager '{}' is not forgotten: repeat this when every SwitchServer "
                              "can remove its hops",
                              manager));
  }
  // The name of a forgotten manager goes with its last hop.
  const auto left = knowing(names, *those, manager, tell);
  bool done = left.has_value();
  for (const std::string& path : left.value_or(Paths{})) {
    done = forget_at(names, path, manager, tell) && done;
  }
  return done;
}

// `command` passes each note to the OnSwitch it is given. Returns the exit code.
template <class Command>
int print_notes(const Command& command) {
  std::set<std::string> advice;  // often the same at every switch
  const OrFailure<bool> done = command([&](const SwitchNote& note) {
    if (!note.failure) return say(note.text);
    explain(note.text);
    if (!note.failure->advice.empty()) advice.insert(note.failure->advice);
  });
  for (const std::string& each : advice) explain("advice: " + each);
  if (!done) return explain(done.error());
  return *done ? 0 : 1;
}

}  // namespace

OrFailure<HoldingsOfAll> holdings(orb::NameClient& names, const std::string& switch_name) {
  const auto paths = paths_of(names, switch_name, Sources::kKnownToo);
  if (!paths) return tl::make_unexpected(paths.error());
  HoldingsOfAll found;
  for (const std::string& path : *paths) {
    const auto all = operate(names, path, [&](v2::SwitchOperations_ptr operations) {
      return OrFailure<v2::ManagerHoldingsSeq_var>(operations->managers());
    });
    if (!all) {
      found.failures.push_back(all.error());
      continue;
    }
    for (CORBA::ULong i = 0; i < all->in().length(); ++i) {
      found.rows.push_back({path.substr(path.rfind('/') + 1), all->in()[i]});
    }
  }
  return found;
}

const char* state_of(const v2::ManagerHoldings& manager) {
  if (manager.attached) return "attached";
  return manager.forgotten ? "forgotten" : "absent";
}

int managers(orb::NameClient& names, const std::string& switch_name) {
  const auto found = holdings(names, switch_name);
  if (!found) return explain(found.error());
  std::vector<Row> rows{{"switchserver", "manager", "state", "hops", "epoch"}};
  for (const Holding& one : found->rows) {
    rows.push_back({one.switchserver, printable(one.manager.manager.in()), state_of(one.manager),
                    fmt::format("{}", one.manager.hops),
                    fmt::format("{}", one.manager.manager_epoch)});
  }
  for (const Failure& failure : found->failures) explain(failure);
  print_table(3, rows);
  return found->failures.empty() ? 0 : 1;
}

// What ends connections asks every SwitchServer there is, not those that were known once.
OrFailure<bool> forget_everywhere(orb::NameClient& names, const std::string& switch_name,
                                  const std::string& manager, bool release, const Pause& pause,
                                  const OnSwitch& tell) {
  const auto paths = paths_of(names, switch_name, Sources::kServiceOnly);
  if (!paths) return tl::make_unexpected(paths.error());
  if (release) return release_and_forget(names, *paths, manager, pause, tell);
  bool done = true;
  for (const std::string& path : *paths) done = forget_at(names, path, manager, tell) && done;
  return done;
}

OrFailure<bool> clear_everywhere(orb::NameClient& names, const std::string& manager,
                                 ConnectionId connection, const Pause& pause,
                                 const OnSwitch& tell) {
  const auto paths = paths_of(names, "all", Sources::kServiceOnly);
  if (!paths) return tl::make_unexpected(paths.error());
  const auto those = knowing(names, *paths, manager, tell);
  if (those && those->empty()) return unknown_manager(manager);
  bool done = those.has_value();
  for (const std::string& path : those.value_or(Paths{})) {
    done = clear_at(names, path, manager, connection, pause, tell) && done;
  }
  return done;
}

OrFailure<bool> renew_everywhere(orb::NameClient& names, v2::RouteObject_ptr route_object,
                                 const std::string& manager, const OnSwitch& tell) {
  Paths paths;
  const auto listed = call_peer(peer_of(PeerKind::kRouteObject, "the RouteObject", route_object),
                                route_object, [&]() -> OrFailure<bool> {
                                  for_each_switch(route_object, [&](const std::string& name) {
                                    paths.push_back(naming::path_of(naming::kSwitchServers, name));
                                  });
                                  return true;
                                });
  if (!listed) return listed;
  const auto epochs = epochs_everywhere(names, paths, manager, tell);
  if (!epochs) {
    return failed(ErrorCode::kUnreachable,
                  fmt::format("the epochs of manager '{}' are not renewed: every SwitchServer of "
                              "the network must answer, and the manager must have ended",
                              manager));
  }
  const auto newest = renewed_epoch(*epochs);
  if (!newest) {
    return failed(
        ErrorCode::kExhausted,
        fmt::format("calls of manager '{}' use so many epochs that no {} in a row are left",
                    manager, kEpochsFreeAfterRenewal),
        "`xbindctl clear` ends calls that nobody needs");
  }
  bool done = true;
  for (const std::string& path : paths) {
    const auto renewed =
        operate(names, path, [&](v2::SwitchOperations_ptr operations) -> OrFailure<std::uint64_t> {
          operations->renew_epoch(manager.c_str(), newest->value());
          return 0;
        });
    tell(note_of(path, renewed,
                 fmt::format("{}: the newest epoch of manager '{}' is {}, it was {}", path, manager,
                             *newest, epochs->fenced)));
    done = done && renewed.has_value();
  }
  return done;
}

int forget_manager(orb::NameClient& names, const std::string& switch_name,
                   const std::string& manager, bool release, const Pause& pause) {
  return print_notes([&](const OnSwitch& tell) {
    return forget_everywhere(names, switch_name, manager, release, pause, tell);
  });
}

int renew_epoch(orb::NameClient& names, v2::RouteObject_ptr route_object,
                const std::string& manager) {
  return print_notes(
      [&](const OnSwitch& tell) { return renew_everywhere(names, route_object, manager, tell); });
}

int clear_hops(orb::NameClient& names, const std::string& manager, ConnectionId connection,
               const Pause& pause) {
  return print_notes([&](const OnSwitch& tell) {
    return clear_everywhere(names, manager, connection, pause, tell);
  });
}

}  // namespace xbind::ctl
