// The options of `xbind-callgen run`: each said once (core/config/options.hpp), and what they mean
// together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "callgen/options/load_options.hpp"
#include "callgen/run/run_plan.hpp"
#include "core/config/options.hpp"
#include "core/config/service_options.hpp"
#include "dataplane/links/link_spec.hpp"

namespace xbind::callgen {

// Options of an offered load beside its --rate, for commands that choose the load themselves.
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

struct RunOptions : LoadOptions {
  std::uint64_t cells_per_s = 0;
  std::uint64_t buffer_cells = 0;
  double frames_per_s = 0;  // 0: the demand is in cells
  std::uint64_t frame_octets = 0;
  ServiceOptions service;  // by name or by class, with the frames above

  std::vector<std::string> managers;  // bound as xbind/cmgr/NAME; none: see managers_of()

  bool both = false;  // every call in both directions

  bool verify_media = false;
  std::vector<std::string> endpoints;  // NAME=SPEC, see dataplane/links/link_spec.hpp
  std::uint64_t media_calls = 0;
  std::string capture;  // file; empty: none

  std::uint32_t client_batch = 0;  // requests
  double drain_timeout = 0;        // seconds
  double debts_timeout = 0;        // seconds that the audit waits for debts, at most
  double warm_up = 0;              // seconds
  std::string json;                // file; empty: none
  bool quiet = false;
  double progress_interval = 0;  // seconds; 0: no progress lines
};

inline constexpr std::size_t kMostManagers = 16;

// Declares everything, with its checks; `options` must outlive the set's load(). A --json file that
// cannot be written is refused there, before any call is made.
void declare_run_options(config::OptionSet& set, RunOptions& options);

// Whom to call: those named, else the one called default.
std::vector<std::string> managers_of(const RunOptions& options);

// Of loaded options: the lines of --endpoints, in their order.
std::vector<dataplane::NamedLink> endpoint_lines(const RunOptions& options);

// Of loaded options. The demand is a service's when one is named, in frames when frames_per_s is given, else
// in cells.
RunPlan plan_of(const RunOptions& options);

}  // namespace xbind::callgen
