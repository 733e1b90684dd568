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

struct ConnectOptions {
  std::uint8_t priority = 0;
  double hold_s = 0;
  std::string from_traffic;                 // which frames are the call's at FROM;
  std::string to_traffic;                   // at TO
  std::optional<FrameTraffic> from_frames;  // from_traffic, parsed; nullopt: not given
  std::optional<FrameTraffic> to_frames;
};

struct CommandLine {
  std::string manager;             // name under xbind/cmgr/
  std::vector<std::string> words;  // the command and its arguments
  std::uint64_t id = 0;            // the argument ID, REQUEST or PORT; 0: none
  Label label;                     // the argument LABEL

  ServiceSpec service;
  ServiceOptions named;  // a service by name or by class, with the frames of `service`
  std::string category;  // one of categories()
  bool both = false;     // bidirectional,
  std::uint64_t reverse_cells_per_s = 0;  // with this reverse rate; 0: as forward
  bool force = false;                     // clear
  bool dry_run = false;                   // repair
  bool release = false;                   // forget-manager: its connections, too
  bool all = false;                       // release: every connection,
  std::string client;                     // or, as for list, those of this client
  ConnectOptions connect;
  std::uint32_t count = 0;
  AggregationOptions aggregation;
  PingOptions ping;

  std::string route_object;  // name under xbind/routeobject/
  std::string qos_mapper;    // name under xbind/qosmapper/
  std::string metric;        // one of metrics()
  std::uint32_t alternates = 1;
  std::uint64_t delay_us_max = 0;
  std::uint32_t links_max = 0;
  std::string disjoint;                    // one of disjointness()
  std::vector<std::string> avoid_words;    // SWITCH or SWITCH:PORT
  std::vector<std::string> require_words;  // SWITCH or SWITCH:PORT
  std::vector<PathElement> avoid;          // avoid_words, parsed
  std::vector<PathElement> require;        // require_words, parsed

  const std::string& verb() const { return words.front(); }
  std::optional<ServiceSpec> reverse() const;
  std::uint32_t hold_ms() const;
};

// In the order of the contract's numbers.
const std::vector<std::string>& aggregation_modes();

// In the order of metric_* and disjoint_*.
const std::vector<std::string>& metrics();
const std::vector<std::string>& disjointness();

// In the order of ServiceCategory's numbers; the first one: no contract is named.
const std::vector<std::string>& categories();

// Declares arguments, options and checks; `line` and `set` must outlive the loading.
void declare(config::OptionSet& set, CommandLine& line);

}  // namespace xbind::ctl
