// What is to be run for a point with real processes, as command lines: a lab for the System, a run of callgen
// for the Load, and what changes from one point to the next. Pure; process_source.hpp runs it.
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
  // What callers add to every latency. They are many and in nobody's way, so nobody waits for it: it is
  // added to what is measured.
  Duration callers{};

  bool on() const { return servants.on() || switches.on(); }
};
// What of the model's costs a process can wait for: the manager's for all servants, no network, no wake-ups
// and no switching of cores, which are real here.
Pacing pacing_of(const model::Costs& costs, std::uint64_t seed);

// Where things are.
struct Places {
  std::string lab;        // the script deploy/lab
  std::string bin_dir;    // the daemons and tools
  std::string callgen;    // the program that offers calls
  std::string directory;  // for topologies, reports and the lab's state
};

// A chain of so many switches, from host-a to host-b, whose links have room for every call.
inline constexpr std::size_t kFewestSwitches = 2;  // a call has two ends
inline constexpr std::size_t kMostSwitches = 32;
std::string chain_topology(std::size_t switches);
std::string topology_file(const Places& places, std::size_t switches);  // in `directory`

using Words = std::vector<std::string>;
Words lab_up(const Places& places, const System& system, const Pacing& pacing);
Words lab_down(const Places& places);
Words lab_env(const Places& places);

// Whether a lab of `up` serves `next` once set_aggregation(next) has been run in it.
bool same_lab(const System& up, const System& next);
Words set_aggregation(const Places& places, const System& system);

std::string report_file(const Places& places);   // JSON
std::string records_file(const Places& places);  // CSV
Words run(const Places& places, const Load& load);
// How long that may take: its calls at their rate, their holding, draining, the audit, and as much again.
Duration longest(const Load& load);

}  // namespace xbind::figures
