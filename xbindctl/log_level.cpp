// The command that shows and changes what running daemons log.
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connection_manager.hh"
#include "core/log_levels.hpp"
#include "core/name.hpp"
#include "naming/names.hpp"
#include "qos_mapper.hh"
#include "route_object.hh"
#include "switch_server.hh"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {
namespace {

using Words = std::vector<std::string>;

// What the words after `log-level` ask.
struct Wish {
  std::string daemon;  // one of daemons()
  std::string name;    // of a switchserver
  std::string levels;  // as Logged::set_log_level() takes them; empty: they are shown
};

// A daemon, and how its operators' interface is reached.
struct Target {
  PeerKind kind;
  std::string path;
  std::function<v2::Logged_ptr(CORBA::Object_ptr)> logged;
};

const Words& daemons() {
  static const Words words{"manager", "routeobject", "qosmapper", "switchserver", "all"};
  return words;
}

Wish wish_of(const Words& words) {
  Wish wish{words[1], {}, {}};
  std::size_t next = 2;
  if (wish.daemon == "switchserver" && next < words.size()) wish.name = words[next++];
  if (next < words.size()) wish.levels = words[next++];
  if (next < words.size()) wish.levels += '=' + words[next];  // SUBSYSTEM LEVEL
  return wish;
}

std::string path_in(const char* context, const std::string& name) {
  return naming::path_of(context, name);
}

Target manager_at(std::string path) {
  return {PeerKind::kManager, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::ConnectionManager::_unchecked_narrow(object);
            return v2::ConnectionManager_var(daemon)->manager_operations();
          }};
}
Target route_object_at(std::string path) {
  return {PeerKind::kRouteObject, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::RouteObject::_unchecked_narrow(object);
            return v2::RouteObject_var(daemon)->route_operations();
          }};
}
Target qos_mapper_at(std::string path) {
  return {PeerKind::kQosMapper, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::QOSMapper::_unchecked_narrow(object);
            return v2::QOSMapper_var(daemon)->qos_operations();
          }};
}
Target switch_server_at(std::string path) {
  return {PeerKind::kSwitchServer, std::move(path), [](CORBA::Object_ptr object) -> v2::Logged_ptr {
            const auto daemon = v2::SwitchServer::_unchecked_narrow(object);
            return v2::SwitchServer_var(daemon)->switch_operations();
          }};
}

// Every daemon that is bound in the name service.
OrFailure<std::vector<Target>> all_targets(orb::NameClient& names) {
  std::vector<Target> all;
  std::optional<Failure> failure;
  const auto add = [&](const char* context, Target (*target)(std::string)) {
    auto bound = names.list(std::string{naming::kRoot} + "/" + context);
    if (!bound && bound.error().code == ErrorCode::kNotFound) return;  // none has started yet
    if (!bound && !failure) failure = failure_of(bound.error(), name_service_at(names.service()));
    if (!bound) return;
    for (std::string& path : *bound) all.push_back(target(std::move(path)));
  };
  add(naming::kConnectionManagers, manager_at);
  add(naming::kRouteObjects, route_object_at);
  add(naming::kQosMappers, qos_mapper_at);
  add(naming::kSwitchServers, switch_server_at);
  if (failure) return tl::make_unexpected(*failure);
  return all;
}

OrFailure<std::vector<Target>> targets_of(orb::NameClient& names, const Wish& wish,
                                          const DaemonNames& of) {
  if (wish.daemon == "all") return all_targets(names);
  if (wish.daemon == "manager") {
    return std::vector{manager_at(path_in(naming::kConnectionManagers, of.manager))};
  }
  if (wish.daemon == "routeobject") {
    return std::vector{route_object_at(path_in(naming::kRouteObjects, of.route_object))};
  }
  if (wish.daemon == "qosmapper") {
    return std::vector{qos_mapper_at(path_in(naming::kQosMappers, of.qos_mapper))};
  }
  return std::vector{switch_server_at(path_in(naming::kSwitchServers, wish.name))};
}

// Changes the levels if that is wished, and returns those of then.
OrFailure<v2::LogLevelSeq_var> levels_at(orb::NameClient& names, const Target& target,
                                         const std::string& wished) {
  const auto object = resolved(names, target.kind, target.path);
  if (!object) return tl::make_unexpected(object.error());
  const CORBA::Object_ptr daemon = object->in();
  return told_by(peer_of(target.kind, target.path, daemon), daemon,
                 [&]() -> OrFailure<v2::LogLevelSeq_var> {
                   const v2::Logged_var logged = target.logged(daemon);
                   if (!wished.empty()) logged->set_log_level(wished.c_str());
                   return v2::LogLevelSeq_var(logged->log_levels());
                 });
}

// "info", or "info, calls debug": the subsystems with another level.
std::string words_of(const v2::LogLevelSeq& levels) {
  std::string words;
  std::string all;
  for (CORBA::ULong i = 0; i < levels.length(); ++i) {
    const std::string level = printable(levels[i].level.in());
    if (i == 0) {
      words = all = level;
    } else if (level != all) {
      words += fmt::format(", {} {}", printable(levels[i].subsystem.in()), level);
    }
  }
  return words;
}

Json json_of(const std::string& path, const v2::LogLevelSeq& levels) {
  Json subsystems = Json::object();
  for (CORBA::ULong i = 1; i < levels.length(); ++i) {
    subsystems[printable(levels[i].subsystem.in())] = printable(levels[i].level.in());
  }
  return {{"daemon", path},
          {"level", levels.length() == 0 ? "" : printable(levels[0].level.in())},
          {"subsystems", std::move(subsystems)}};
}

// Calls said(path, levels) for each daemon that answers, and failed(failure) for the others.
template <class Said, class Failed>
std::optional<Failure> each_daemon(orb::NameClient& names, const Words& words,
                                   const DaemonNames& of, const Said& said, const Failed& failed) {
  const Wish wish = wish_of(words);
  const auto targets = targets_of(names, wish, of);
  if (!targets) return targets.error();
  for (const Target& target : *targets) {
    const auto levels = levels_at(names, target, wish.levels);
    if (levels) {
      said(target.path, levels->in());
    } else {
      failed(levels.error());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of_log_level(const Words& words) {
  if (words.front() != "log-level") return std::nullopt;
  if (std::ranges::find(daemons(), words[1]) == daemons().end()) {
    return fmt::format("log-level: DAEMON '{}' is none of {}", words[1],
                       fmt::join(daemons(), ", "));
  }
  const bool named = words[1] == "switchserver";
  if (named && (words.size() == 2 || (words.size() == 3 && log::level_of(words[2]))))
    return "log-level switchserver needs a NAME";
  if (words.size() > (named ? 5U : 4U)) {
    return fmt::format(
        "log-level {} takes a LEVEL, or a SUBSYSTEM and a LEVEL{}", words[1],
        named ? ", behind its NAME" : fmt::format(": option --{} names it", words[1]));
  }
  const Wish wish = wish_of(words);
  if (wish.levels.empty()) return std::nullopt;
  const log::Levels any = log::Level::kInfo;
  const auto levels = any.changed(wish.levels, any);
  if (levels) return std::nullopt;
  return fmt::format("log-level: {}", levels.error().text);
}

Told log_level_document(orb::NameClient& names, const Words& words, const DaemonNames& of) {
  Document document{Json::object()};
  Json daemons = Json::array();
  std::optional<Failure> trouble;
  const auto failure = each_daemon(
      names, words, of,
      [&](const std::string& path, const v2::LogLevelSeq& levels) {
        daemons.push_back(json_of(path, levels));
      },
      [&](const Failure& one) {
        trouble = one;
        daemons.push_back(json_of(one));
        document.exit_code = 1;
      });
  if (failure) return tl::make_unexpected(*failure);
  const bool all = wish_of(words).daemon == "all";
  if (!all && trouble) return tl::make_unexpected(*trouble);
  if (!all) return Document{std::move(daemons[0])};
  document.body["daemons"] = std::move(daemons);
  return document;
}

int log_level(orb::NameClient& names, const Words& words, const DaemonNames& of) {
  int exit_code = 0;
  const auto failure = each_daemon(
      names, words, of,
      [](const std::string& path, const v2::LogLevelSeq& levels) {
        say(fmt::format("{}: the log level is {}", path, words_of(levels)));
      },
      [&](const Failure& one) { exit_code = explain(one); });
  return failure ? explain(*failure) : exit_code;
}

}  // namespace xbind::ctl
