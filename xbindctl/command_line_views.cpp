// The commands that only show something, and the options of how it is shown.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "xbindctl/alarms.hpp"
#include "xbindctl/command_line.hpp"
#include "xbindctl/events.hpp"

namespace xbind::ctl {
namespace {

using Words = std::vector<std::string>;

constexpr double kWatchSecondsMin = 0.2;
constexpr double kWatchSecondsMax = 3'600;
constexpr const char* kWatch = "--watch";
constexpr const char* kWatchDefault = "--watch=2";

// Repeating these changes nothing and costs a query each time.
constexpr std::string_view kWatchable[] = {
    "list",    "calls",  "call",     "describe", "status", "clients",  "caches",
    "links",   "routes", "services", "ports",    "count",  "managers", "audit",
    "explain", "fit",    "what-if",  "top",      "alarms", "events",   "validate"};

Words plus(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

const std::vector<std::string>& call_states() {
  static const Words kStates{"any",       "routing",        "reserving", "held",      "committing",
                             "connected", "switching-over", "lingering", "modifying", "lowering",
                             "restoring", "undoing",        "releasing", "prepared",  "incomplete"};
  return kStates;
}

const std::vector<std::string>& call_orders() {
  static const Words kOrders{"id", "cells", "client", "from", "to"};
  return kOrders;
}

std::vector<config::Command> view_commands(const Words& service) {
  const Words network = plus(service, {"routeobject", "qosmapper", "manager"});
  return {
      {"calls",
       {},
       "Prints the calls that the options choose, in an order, page by page.",
       {"from", "to", "client", "state", "switch", "port", "unusable", "min-cells-per-s", "sort",
        "reverse", "limit", "after", "ids", "routeobject", "manager"}},
      {"call",
       {"ID"},
       "Prints all about one call: path, labels and contract, and what each SwitchServer's ledger "
       "has of it.",
       {"manager"}},
      {"validate",
       {"ID"},
       "Compares, hop by hop, what manager, ledgers and switches have of one call. Exit code 0: "
       "all the same; 1: something differs.",
       {"manager"}},
      {"sync",
       {"ID"},
       "Validates one call, shows what is done about each finding, and does it after a second "
       "look: "
       "puts back what a switch lacks. Other calls are left alone.",
       {"dry-run", "manager"}},
      {"explain",
       {"ID|CAUSE|FROM", "[TO]"},
       "Explains a call, stage by stage; a cause of refusals, as no-bandwidth, or all of them; a "
       "kind of alarm, as switch-away, or of findings, as missing-hop; or what would happen to a "
       "request from FROM to TO, what is short, and what would fit.",
       network},
      {"fit", {"FROM", "TO"}, "Prints whether a call fits now, and how many more of it.", network},
      {"what-if",
       {"SWITCH", "[PORT]"},
       "Prints the calls that would have to move if a switch or link were lost, and those that "
       "cannot.",
       {"routeobject", "manager"}},
      {"trace",
       {"[ID]"},
       "Prints where the time of a recorded call went, in the manager, its SwitchServers and their "
       "switches; without ID, the latest operations that are recorded.",
       {"limit", "otlp", "manager"}},
      {"alarms",
       {},
       "Prints the alarms of all daemons, the most severe first; `explain KIND` says what to do.",
       {"all", "severity", "kind", "about", "unacknowledged"}},
      {"acknowledge",
       {"ALARM"},
       "Notes at the daemon that an operator has taken notice of an alarm.",
       {"who", "note", "undo"}},
      {"events",
       {},
       "Prints what has happened at all daemons: calls, links, switches, sessions and alarms; with "
       "--watch, on and on. With --json one document a line.",
       {"kind", "since", "limit"}},
      {"top",
       {},
       "Shows rates, refusals, latency, links, switches and clients, again and again.",
       {"routeobject", "manager"}},
      {"completion",
       {"bash|zsh"},
       "Prints a script that completes commands and options in a shell.",
       {}}};
}

bool repeatable(const std::string& verb) {
  return std::ranges::find(kWatchable, verb) != std::end(kWatchable);
}

std::vector<config::Command> with_watch(std::vector<config::Command> commands) {
  for (config::Command& each : commands) {
    if (!repeatable(each.verb)) continue;
    each.options.emplace_back("watch");
    each.options.emplace_back("frames");
  }
  return commands;
}

void declare_views(config::OptionSet& set, ViewOptions& view) {
  set.add_flag("json", &view.json,
               "Prints one JSON document instead of text, also for a failure "
               "(docs/operating.md).");
  set.add_double("watch", &view.watch_s, 0, {0, kWatchSecondsMax},
                 "Repeats the command after this many seconds, at least 0.2, until Ctrl-C; "
                 "--watch alone: 2.");
  set.add_uint("frames", &view.frames, 0, {0, 1'000'000},
               "With --watch and for top: ends after that many times; 0: never.");
  set.add_flag("ids", &view.ids, "Prints only the ids, one a line.");
  set.add_string("from", &view.calls.from, "", "Only calls from this endpoint.");
  set.add_string("to", &view.calls.to, "", "Only calls to this endpoint, as callee or leaf.");
  set.add_choice("state", &view.calls.state, call_states().front(), call_states(),
                 "Only calls in this state.");
  set.add_string("switch", &view.calls.switch_name, "", "Only calls through this switch.");
  set.add_uint("port", &view.calls.port, 0, {0, 0xffff'ffff},
               "With --switch: only calls through this port of it; 0: any.");
  set.add_flag("unusable", &view.calls.unusable,
               "Only calls over a switch or line that is down, unknown or drained: those of the "
               "alarm calls-without-path.");
  set.add_uint("min-cells-per-s", &view.calls.min_cells_per_s, 0, {0, 0xffff'ffff},
               "Only calls that take at least this rate in one of their directions, in cells a "
               "second.");
  set.add_choice("sort", &view.sort, call_orders().front(), call_orders(),
                 "The order; ids ascend in the order of the setups. cells: the greatest rate "
                 "first.");
  set.add_flag("reverse", &view.reverse, "The opposite order.");
  set.add_uint(
      "limit", &view.limit, 0, {0, 1'000'000},
      "How many calls, or events, to print at most; 0: all. trace: operations, up to 1000; 0: 20.");
  set.add_string("otlp", &view.otlp, "",
                 "trace: appends the spans to this file, one line of OTLP JSON for each call.");
  set.add_uint("after", &view.after, 0, {},
               "Begins behind this call, the last one of the page before.");
}

void declare_supervision(config::OptionSet& set, SupervisionOptions& supervision) {
  set.add_choice("severity", &supervision.severity, alarm_severities().front(), alarm_severities(),
                 "Only alarms that are at least as severe.");
  set.add_strings("kind", &supervision.kinds,
                  "alarms: only of these kinds. events: only about these: calls, links, switches, "
                  "sessions, alarms.");
  set.add_string("about", &supervision.about, "",
                 "Only alarms about something whose name has this text.");
  set.add_flag("unacknowledged", &supervision.unacknowledged,
               "Only alarms that nobody has acknowledged.");
  set.add_uint("since", &supervision.since_s, 0, {0, 1'000'000},
               "Begins with the events of the last seconds; 0: with all that are kept.");
  set.add_string("who", &supervision.who, "",
                 "Name under which the alarm is acknowledged; empty: the user of this process.");
  set.add_string("note", &supervision.note, "", "A note with the acknowledgement.");
  set.add_flag("undo", &supervision.undo, "Removes the acknowledgement.");
}

std::optional<std::string> check_supervision(const CommandLine& line) {
  const bool of_events = line.verb() == "events";
  if (!of_events && line.verb() != "alarms") return std::nullopt;
  const Words known = of_events ? event_subjects() : alarm_kind_names();
  for (const std::string& kind : line.view.supervision.kinds) {
    if (std::ranges::find(known, kind) != known.end()) continue;
    return fmt::format("{}: kind '{}' is none of {}", line.verb(), kind, fmt::join(known, ", "));
  }
  return std::nullopt;
}

std::optional<std::string> check_views(const CommandLine& line, const config::OptionSet& set) {
  const ViewOptions& view = line.view;
  if (view.watch_s > 0 && view.watch_s < kWatchSecondsMin) {
    return fmt::format("watch: {} s is less than {} s", view.watch_s, kWatchSecondsMin);
  }
  if (set.given("frames") && repeatable(line.verb()) && view.watch_s == 0 && line.verb() != "top") {
    return "frames goes with watch";
  }
  if (view.calls.port != 0 && view.calls.switch_name.empty()) return "port goes with switch";
  if (view.ids && view.json) return "ids and json exclude each other";
  if (line.connect.quiet && view.json) return "quiet and json exclude each other";
  if (line.verb() == "completion" && line.words[1] != "bash" && line.words[1] != "zsh") {
    return fmt::format("completion: '{}' is neither bash nor zsh", line.words[1]);
  }
  return std::nullopt;
}

std::vector<const char*> with_watch_seconds(int argc, const char* const* argv,
                                            std::vector<std::string>& storage) {
  std::vector<const char*> arguments;
  bool options_ended = false;
  storage.assign(argv, argv + argc);
  for (std::string& word : storage) {
    options_ended = options_ended || word == "--";
    if (!options_ended && word == kWatch) word = kWatchDefault;
    arguments.push_back(word.c_str());
  }
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace xbind::ctl
