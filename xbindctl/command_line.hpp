// The operator's command line: the commands with their arguments, the options, and the checks
// between them. Everything is checked before any remote call; a refusal is exit code 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/config/options.hpp"
#include "core/config/service_options.hpp"
#include "core/path.hpp"
#include "dataplane/links/link_spec.hpp"

namespace xbind::ctl {

struct AggregationOptions {
  std::string mode;  // one of aggregation_modes()
  std::uint32_t threshold = 0;
  double flush_timeout_ms = 0;
};

struct PingOptions {  // with CommandLine::count
  double interval_ms = 0;
  double timeout_ms = 0;
  std::vector<std::string> line_words;      // HOST=SPEC
  std::vector<dataplane::NamedLink> lines;  // line_words, parsed
};

struct NetworkOptions {  // with CommandLine::dry_run and force
  bool endpoint = false;
  double wait_s = 0;  // for calls to leave what is removed
  std::uint64_t delay_us = 0;
  PathElement first_end;  // arguments of ACTION, parsed; a node has port 0
  PathElement second_end;
  std::uint64_t cells_per_s = 0;
};

struct ConnectOptions {
  std::uint8_t priority = 0;
  double hold_s = 0;
  std::string from_traffic;                 // which frames are the call's at FROM;
  std::string to_traffic;                   // at TO
  std::optional<FrameTraffic> from_frames;  // from_traffic, parsed; nullopt: not given
  std::optional<FrameTraffic> to_frames;
  bool quiet = false;  // print the id alone
};

struct RouteOptions {
  std::string metric;  // one of metrics()
  std::uint32_t alternates = 1;
  std::uint64_t delay_us_max = 0;
  std::uint32_t links_max = 0;
  std::string disjoint;                    // one of disjointness()
  std::vector<std::string> avoid_words;    // SWITCH or SWITCH:PORT
  std::vector<std::string> require_words;  // SWITCH or SWITCH:PORT
  std::vector<PathElement> avoid;          // avoid_words, parsed
  std::vector<PathElement> require;        // require_words, parsed
};

// Of alarms, acknowledge and events; with ViewOptions::limit and CommandLine::all.
struct SupervisionOptions {
  std::vector<std::string> kinds;  // alarms: kinds; events: subjects. Empty: any
  std::string severity;            // one of alarm_severities()
  std::string about;               // a part of what an alarm is about
  bool unacknowledged = false;
  std::uint32_t since_s = 0;  // events of the last seconds; 0: all that are kept
  std::string who;            // empty: the user of this process
  std::string note;
  bool undo = false;
};

// Which calls `calls` shows.
struct CallChoice {
  std::string from;  // empty: any, also of the next three
  std::string to;
  std::string state;  // one of call_states()
  std::string switch_name;
  std::uint32_t port = 0;  // of that switch; 0: any
  bool unusable = false;   // only those over what is unusable
  std::uint64_t min_cells_per_s = 0;
};

// How results are shown, and which of them.
struct ViewOptions {
  bool json = false;
  double watch_s = 0;        // pause between two frames; 0: one frame
  std::uint32_t frames = 0;  // number of frames; 0: until Ctrl-C
  bool ids = false;          // calls: only the ids
  CallChoice calls;
  std::string sort;  // one of call_orders()
  bool reverse = false;
  std::uint32_t limit = 0;  // 0: none
  std::string otlp;         // trace: a file; empty: none
  std::uint64_t after = 0;  // the last call of the page before; 0: from the beginning
  SupervisionOptions supervision;
};

struct CommandLine {
  std::string manager;             // name under xbind/cmgr/
  std::vector<std::string> words;  // the command and its arguments
  std::uint64_t id = 0;            // the argument ID, REQUEST or PORT; 0: none
  Label label;                     // the argument LABEL

  ServiceSpec service;
  ServiceOptions named;  // a service by name or by class, with the frames of `service`
  std::string category;  // one of client::categories()
  bool both = false;     // bidirectional,
  std::uint64_t reverse_cells_per_s = 0;  // with this reverse rate; 0: as forward
  bool force = false;                     // clear, network
  bool dry_run = false;                   // repair, network
  bool release = false;                   // forget-manager: its connections, too
  bool all = false;                       // release: every connection,
  std::string client;                     // or, as for list, those of this client
  ConnectOptions connect;
  std::uint32_t count = 0;
  AggregationOptions aggregation;
  PingOptions ping;

  std::string route_object;  // name under xbind/routeobject/
  std::string qos_mapper;    // name under xbind/qosmapper/
  RouteOptions route;
  ViewOptions view;
  NetworkOptions network;

  const std::string& verb() const { return words.front(); }
  std::optional<ServiceSpec> reverse() const;
  std::uint32_t hold_ms() const;
};

// In the order of the contract's numbers.
const std::vector<std::string>& aggregation_modes();

// In the order of metric_* and disjoint_*.
const std::vector<std::string>& metrics();
const std::vector<std::string>& disjointness();

// Words of the options --state and --sort. The first state means any.
const std::vector<std::string>& call_states();
const std::vector<std::string>& call_orders();

// command_line_views.cpp: commands that only show something, their options and checks.
// `service`: the options that describe a service.
std::vector<config::Command> view_commands(const std::vector<std::string>& service);
// Gives --watch and --frames to each command that can be repeated without changing anything.
std::vector<config::Command> with_watch(std::vector<config::Command> commands);
// Whether it is one of them. An environment or a file may set --watch for every command.
bool repeatable(const std::string& verb);
void declare_views(config::OptionSet& set, ViewOptions& view);
void declare_supervision(config::OptionSet& set, SupervisionOptions& supervision);
std::optional<std::string> check_supervision(const CommandLine& line);
std::optional<std::string> check_views(const CommandLine& line, const config::OptionSet& set);

// command_line_network.cpp: the command `network`.
config::Command network_command();
std::vector<std::string> network_actions();  // "load", "show", ...
void declare_network(config::OptionSet& set, NetworkOptions& network);
std::optional<std::string> check_network(CommandLine& line, const config::OptionSet& set);

// "--watch" alone means --watch=2. Returns the arguments with that value; they end with a null
// pointer, and live as long as `storage`.
std::vector<const char*> with_watch_seconds(int argc, const char* const* argv,
                                            std::vector<std::string>& storage);

// Declares arguments, options and checks; `line` and `set` must outlive the loading.
void declare(config::OptionSet& set, CommandLine& line);

}  // namespace xbind::ctl
