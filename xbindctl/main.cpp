// xbindctl: the operator's command.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/timers.hpp"
#include "core/check.hpp"
#include "core/config/completion.hpp"
#include "core/output.hpp"
#include "core/shortage.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/address_file.hpp"
#include "xbindctl/alarms.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/asking.hpp"
#include "xbindctl/audit.hpp"
#include "xbindctl/call_check.hpp"
#include "xbindctl/call_views.hpp"
#include "xbindctl/command_line.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl/events.hpp"
#include "xbindctl/explanations.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/timers.hpp"
#include "xbindctl/top.hpp"
#include "xbindctl/trace.hpp"
#include "xbindctl/watching.hpp"

namespace {

using namespace xbind;

RequestId new_request() {
  std::random_device chance;
  return RequestId{(std::uint64_t{chance()} << 16 | (chance() & 0xffffU)) + 1};
}

std::uint64_t new_session() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

void pause_of_network() { std::this_thread::sleep_for(ctl::kXbindctlTimers["network-look"]); }

void pause_before_asking() { std::this_thread::sleep_for(ctl::kXbindctlTimers["clear-pause"]); }

// Runs the commands that RouteObject answers; nullopt: it is another command.
std::optional<int> ask_routes(const ctl::CommandLine& line, const config::OptionSet& set,
                              orb::NameClient& names) {
  const std::string& verb = line.verb();
  if (verb != "routes" && verb != "links" && verb != "drain" && verb != "undrain" &&
      verb != "network" && verb != "renew-epoch") {
    return std::nullopt;
  }
  const auto route_object = ctl::route_object_of(names, line);
  if (!route_object) return ctl::explain(route_object.error());
  if (verb == "routes") return ctl::routes(*route_object, ctl::wish_of(line, set));
  if (verb == "links") return ctl::links(*route_object);
  if (verb == "renew-epoch") return ctl::renew_epoch(names, *route_object, line.words[1]);
  if (verb == "network") {
    if (line.words[1] == "show") return ctl::network_show(*route_object);
    const auto wish = ctl::network_wish_of(line);
    if (!wish) return ctl::explain(wish.error());
    return ctl::network_change(names, *route_object, *wish, pause_of_network);
  }
  return ctl::drain(*route_object, ctl::element_of(line), verb == "drain");
}

// Runs the questions that no manager needs to answer; nullopt: it is another command.
std::optional<int> ask_questions(const ctl::CommandLine& line, orb::NameClient& names) {
  const std::string& verb = line.verb();
  if (verb == "fit") return ctl::fit(names, ctl::question_of(line));
  if (verb != "explain" || (line.id != 0 && line.words.size() == 2)) return std::nullopt;
  return line.words.size() == 3 ? ctl::explain_request(names, ctl::question_of(line))
                                : ctl::explain_cause(line.words[1]);
}

// Runs the commands that look at one call; nullopt: it is another command.
std::optional<int> ask_about_call(const ctl::CommandLine& line, orb::NameClient& names,
                                  const client::TwoWay& manager) {
  const std::string& verb = line.verb();
  const ConnectionId connection{line.id};
  if (verb == "describe") return ctl::describe(manager, connection);
  if (verb == "ping")
    return ctl::ping(manager, connection, ctl::ping_of(names, line, new_session()));
  if (verb == "call") return ctl::call(manager, connection);
  if (verb == "validate") return ctl::validate(manager, connection);
  if (verb == "sync") return ctl::sync(manager, connection, line.dry_run);
  if (verb == "explain") {
    return ctl::explain_call(manager, connection, ctl::recorded_of(names, line));
  }
  return std::nullopt;
}

int run(const ctl::CommandLine& line, const config::OptionSet& set, orb::NameClient& names) {
  const std::string& verb = line.verb();
  const std::vector<std::string>& words = line.words;
  if (verb == "forget-manager") {
    return ctl::forget_manager(names, words[1], words[2], line.release, pause_before_asking);
  }
  if (verb == "managers") return ctl::managers(names, words[1]);
  if (verb == "log-level") return ctl::log_level(names, words, ctl::names_of(line));
  if (ctl::concerns_options(verb)) return ctl::reload(names, words, ctl::names_of(line));
  if (verb == "trace") return ctl::trace(names, ctl::trace_of(line));
  if (verb == "alarms") return ctl::alarms(names, ctl::alarms_of(line));
  if (verb == "acknowledge") {
    const ctl::SupervisionOptions& it = line.view.supervision;
    return ctl::acknowledge(names, words[1], ctl::who_of(line), it.note, it.undo);
  }
  if (verb == "ports") return ctl::ports(names, words[1]);
  if (verb == "count") {
    return ctl::count(names, words[1], ctl::element_of(line).output_port, line.label);
  }
  if (verb == "services") {
    const auto mapper = ctl::resolved(names, ctl::PeerKind::kQosMapper,
                                      naming::path_of(naming::kQosMappers, line.qos_mapper));
    if (!mapper) return ctl::explain(mapper.error());
    return ctl::services(v2::QOSMapper::_unchecked_narrow(*mapper));
  }
  if (const auto exit_code = ask_routes(line, set, names)) return *exit_code;
  if (const auto exit_code = ask_questions(line, names)) return *exit_code;
  const auto found = ctl::manager_of(names, line);
  const bool reached = found && (verb != "clear" || found->status().has_value());
  if (verb == "clear" && !reached) {
    // Nobody else can end it. SwitchServers refuse this while the manager has a session.
    return ctl::clear_hops(names, line.manager, ConnectionId{line.id}, pause_before_asking);
  }
  if (!found) return ctl::explain(found.error());
  const client::TwoWay& manager = *found;
  const ConnectionId connection{line.id};
  if (verb == "connect") {
    return ctl::connect(manager, ctl::request_of(line, new_request()), line.connect.quiet);
  }
  if (verb == "commit") return ctl::commit(manager, connection);
  if (verb == "modify") return ctl::modify(manager, connection, line.service, line.reverse());
  if (verb == "add-leaf") return ctl::add_leaf(manager, connection, words[2]);
  if (verb == "drop-leaf") return ctl::drop_leaf(manager, connection, words[2]);
  if (verb == "release" && words.size() > 1) return ctl::release(manager, connection);
  if (verb == "release") return ctl::release_many(manager, ctl::client_of(line));
  if (verb == "clear") return ctl::clear(manager, connection);
  if (verb == "outcome") return ctl::outcome(manager, words[1], RequestId{line.id});
  if (verb == "calls") {
    const auto plan = ctl::plan_of(names, line);
    return plan ? ctl::calls(manager, *plan, line.view.ids) : ctl::explain(plan.error());
  }
  if (const auto exit_code = ask_about_call(line, names, manager)) return *exit_code;
  if (verb == "what-if") {
    const auto route_object = ctl::route_object_of(names, line);
    if (!route_object) return ctl::explain(route_object.error());
    return ctl::what_if(manager, *route_object, ctl::element_of(line));
  }
  if (verb == "list") return ctl::list(manager, ctl::client_of(line));
  if (verb == "status") return ctl::status(manager);
  if (verb == "audit") return ctl::audit(manager, ctl::plan_reader(names, line));
  if (verb == "repair") {
    return ctl::repair(manager, ctl::plan_reader(names, line), line.dry_run);
  }
  if (verb == "clients") return ctl::clients(manager);
  if (verb == "caches") return ctl::caches(manager);
  if (verb == "aggregation") return ctl::aggregation(manager, ctl::change_of(line, set));
  XB_CHECK(verb == "prepare", verb);
  return ctl::prepare(manager, words[1], words[2], line.service, line.count);
}

constexpr double kTopSeconds = 2;  // without --watch
constexpr const char* kCallIds =
    "$(\"$program\" calls --ids --limit 200 --call-timeout-ms 1000 2>/dev/null)";

// One frame of the command; --watch calls it again and again.
std::function<int()> frame_of(const ctl::CommandLine& line, const config::OptionSet& set,
                              orb::NameClient& names, std::function<void()> pause) {
  const bool indented = line.view.watch_s == 0 || !ctl::repeatable(line.verb());
  if (line.verb() == "events") {
    auto follower = std::make_shared<ctl::EventFollower>(names, ctl::events_of(line));
    return [follower] { return follower->frame(); };
  }
  if (line.verb() != "top") {
    return [&line, &set, &names, indented] {
      return line.view.json
                 ? ctl::print_document(ctl::document_of(line, set, names,
                                                        {new_request, new_session,
                                                         pause_before_asking, pause_of_network}),
                                       indented)
                 : run(line, set, names);
    };
  }
  // Bound again when the manager was not found: it may be started while this runs.
  auto top = std::make_shared<std::unique_ptr<ctl::Top>>();
  return [&line, &names, pause = std::move(pause), top] {
    if (*top == nullptr) {
      const auto manager = ctl::manager_of(names, line);
      if (!manager && line.view.json) {
        return ctl::print_document(tl::make_unexpected(manager.error()), false);
      }
      if (!manager) return ctl::explain(manager.error());
      const auto network = ctl::route_object_of(names, line);
      *top = std::make_unique<ctl::Top>(*manager, network ? network->in() : v2::RouteObject::_nil(),
                                        network ? "" : network.error().text, pause);
    }
    return line.view.json ? ctl::print_document((*top)->document(), false) : (*top)->frame();
  };
}

int run_watched(const ctl::CommandLine& line, const config::OptionSet& set,
                orb::NameClient& names) {
  const bool top = line.verb() == "top";
  const double wanted = ctl::repeatable(line.verb()) ? line.view.watch_s : 0;
  const double seconds = top && wanted == 0 ? kTopSeconds : wanted;
  const auto pause = [seconds] {
    return reader_left_within(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds)));
  };
  const auto shown = frame_of(line, set, names, [pause] { static_cast<void>(pause()); });
  bool warned = false;
  const auto frame = [&] {
    const int exit_code = shown();
    const auto away = ctl::name_service_away(names);
    if (away && !warned) ctl::explain(*away);
    warned = away.has_value();
    return exit_code;
  };
  if (!top && seconds == 0) return frame();
  ctl::end_on_interrupt();
  const bool lines = line.verb() == "events";  // each frame continues the one before
  std::string title = "xbindctl";
  for (const std::string& word : line.words) title += ' ' + word;
  return ctl::watch({.title = fmt::format("{}, every {:g} s", title, seconds),
                     .terminal = !line.view.json && !lines && ::isatty(STDOUT_FILENO) != 0,
                     .separated = !line.view.json && !lines,
                     .frames = line.view.frames},
                    frame, pause);
}

int print_completion(const config::OptionSet& set, const std::string& shell) {
  config::CompletionHints hints;
  hints.arguments["ID"] = hints.arguments["[ID]"] = kCallIds;
  hints.arguments["ID|CAUSE|FROM"] = fmt::format(
      "causes {} {} {} {}", fmt::join(ctl::cause_words(), " "),
      fmt::join(ctl::alarm_kind_names(), " "), fmt::join(ctl::finding_words(), " "), kCallIds);
  hints.arguments["ACTION"] = fmt::format("{}", fmt::join(ctl::network_actions(), " "));
  hints.adjacent = {"watch"};
  const auto kind = shell == "bash" ? config::Shell::kBash : config::Shell::kZsh;
  print_output(config::completion_script(set, kind, hints));
  return 0;
}

int main_of(int argc, char** argv) {
  orb::CommonOptions common;
  ctl::CommandLine line;
  config::OptionSet set("xbindctl",
                        "Asks and steers a ConnectionManager. Exit code 0: done; 1: refused, or it "
                        "could not be asked; 74: done, but the output could not be written. "
                        "Of audit 0: clean; 1: something is wrong; 4: removals are owed, and "
                        "nothing else; 5: a switch "
                        "could not be asked, and of the others nothing is wrong.");
  // Longer than a manager normally needs, also when a switch does not answer.
  set.add_timers(ctl::kXbindctlTimers);
  set.add_timers(client::kClientTimers);
  orb::add_client_options(set, common, log::Level::kWarn, 15'000);
  ctl::declare(set, line);
  set.add_check([&line] { return ctl::fault_of_log_level(line.words); });
  set.add_check([&line] { return ctl::fault_of_reload(line.words); });
  std::vector<std::string> storage;
  const std::vector<const char*> arguments = ctl::with_watch_seconds(argc, argv, storage);
  if (const auto exit_code = config::load_or_explain(set, argc, arguments.data())) {
    return *exit_code;
  }
  if (line.verb() == "completion") return print_completion(set, line.words[1]);

  log::start("xbindctl", common.log);
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::NameClient names(runtime.orb(), common.name_service);
  names.keep(std::make_shared<orb::KnownNames>());
  const ctl::AddressFile addresses(ctl::cache_directory(), names.service());
  addresses.load(names);
  const int exit_code = run_watched(line, set, names);
  addresses.store(names, std::chrono::duration_cast<std::chrono::seconds>(
                             Duration{ctl::kXbindctlTimers["addresses-fresh"]}));
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  name_shortages();
  return end_output("xbindctl", main_of(argc, argv));
}
