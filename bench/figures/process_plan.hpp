// The command lines for a point with real processes: a lab for the System, a run of callgen for the
// Load, and the changes from one point to the next. Pure; process_source.hpp runs them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/figures/point_source.hpp"
#include "bench/model/costs.hpp"
#include "core/clock.hpp"
#include "core/impairments/pace.hpp"

namespace xbind::figures {

// Every process at the speed of a host of the model, by waiting (core/impairments/pace.hpp).
struct Pacing {
  PaceOptions servants;  // manager, SwitchServers, RouteObject, QOSMapper
  PaceOptions switches;
  // The callers' own part of every latency. The callers are many and independent, so no process
  // waits for it: it is added to the measured values.
  Duration callers{};

  bool on() const { return servants.on() || switches.on(); }
};
// The costs of the model that a process can wait for: the manager's for all servants. Network,
// wake-ups and switching of cores are real here and not added.
Pacing pacing_of(const model::Costs& costs, std::uint64_t seed);

// Paths of programs and files.
struct Places {
  std::string lab;        // the script deploy/lab
  std::string bin_dir;    // the daemons and tools
  std::string callgen;    // the program that offers calls
  std::string directory;  // for topologies, reports and the lab's state
};

// A chain of switches from host-a to host-b whose links have room for every call.
inline constexpr std::size_t kFewestSwitches = 2;  // a call has two ends
inline constexpr std::size_t kMostSwitches = 32;
std::string chain_topology(std::size_t switches);
std::string topology_file(const Places& places, std::size_t switches);  // in `directory`

using Words = std::vector<std::string>;
Words lab_up(const Places& places, const System& system, const Pacing& pacing);
Words lab_down(const Places& places);
Words lab_env(const Places& places);

// Whether a lab of `up` serves `next` after set_aggregation(next).
bool same_lab(const System& up, const System& next);
Words set_aggregation(const Places& places, const System& system);

std::string report_file(const Places& places);   // JSON
std::string records_file(const Places& places);  // CSV
Words run(const Places& places, const Load& load);
// The time limit of that run: calls at their rate, holding, drain, audit, and as much again.
Duration longest(const Load& load);

}  // namespace xbind::figures
