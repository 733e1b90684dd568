// The options of `xbind-callgen run`, each declared once (core/config/options.hpp), and their
// combined meaning.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callgen/options/contract_options.hpp"
#include "callgen/options/load_options.hpp"
#include "callgen/options/scenario_file.hpp"
#include "callgen/run/run_plan.hpp"
#include "core/config/options.hpp"
#include "dataplane/links/link_spec.hpp"

namespace xbind::callgen {

// Options of an offered load except --rate, for commands that choose the load themselves.
inline constexpr std::array kOfferedLoadOptions{"calls",
                                                "duration",
                                                "hold",
                                                "hold-distribution",
                                                "hold-sigma",
                                                "erlangs",
                                                "arrivals",
                                                "burst-on",
                                                "burst-off",
                                                "ramp-to",
                                                "mix",
                                                "priority",
                                                "modify-cells-per-s",
                                                "hold-ms",
                                                "both"};

struct MediaOptions {
  bool verify = false;
  std::vector<std::string> endpoints;  // NAME=SPEC, see dataplane/links/link_spec.hpp
  std::uint64_t calls = 0;
  bool at_stop = false;
  std::string capture;  // file; empty: none
};

struct RunOptions : LoadOptions, ContractOptions {
  std::vector<std::string> managers;  // bound as xbind/cmgr/NAME; none: see managers_of()
  bool reattach = false;

  std::shared_ptr<const ScenarioFile> scenario_file;  // content of `scenario`
  bool run_events = false;

  bool both = false;  // every call in both directions

  MediaOptions media;

  std::uint32_t client_batch = 0;  // requests
  double drain_timeout = 0;        // seconds
  double debts_timeout = 0;        // longest time that the audit waits for debts, seconds
  double warm_up = 0;              // seconds
  std::string json;                // file; empty: none
  bool quiet = false;
  double progress_interval = 0;  // seconds; 0: no progress lines
};

inline constexpr std::size_t kMostManagers = 16;

// Declares all options with their checks; `options` must outlive the set's load(). A --json file
// that cannot be written is refused when options are loaded, before any call.
void declare_run_options(config::OptionSet& set, RunOptions& options);

// The named managers, or the one called default.
std::vector<std::string> managers_of(const RunOptions& options);

// From loaded options: the lines of --endpoints, in their order.
std::vector<dataplane::NamedLink> endpoint_lines(const RunOptions& options);

// From loaded options. The demand is that of the named service, or in frames if frames_per_s is
// given, or else in cells.
RunPlan plan_of(const RunOptions& options);

}  // namespace xbind::callgen
