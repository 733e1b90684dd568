// One point of a figure: the real logic of manager and SwitchServers under an open load, on virtual
// time, with given costs. The same plan gives the same result, to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/costs.hpp"
#include "callgen/load/holding_time.hpp"
#include "cmgr/parts/config.hpp"
#include "core/clock.hpp"

namespace xbind::model {

enum class Placement : std::uint8_t {
  kOneHost,   // everything on one host of `cores` cores
  kOwnHosts,  // every process on a host of its own; `cores` each
};

// The paper's baselines: sequential (one operation at a time) and threaded (as many as the pool has
// threads). Every invocation is two-way, the hops of a call are commanded one after another,
// nothing is cached.
cmgr::Config baseline(std::size_t operations_at_once);

struct PointPlan {
  double rate = 1'000;           // setups per second, Poisson
  std::uint64_t calls = 10'000;  // the first tenth is warm-up
  callgen::HoldDistribution hold_distribution = callgen::HoldDistribution::kConstant;
  Duration hold_mean = std::chrono::milliseconds{100};
  std::uint64_t seed = 1;
  cmgr::Config manager;
  std::size_t manager_drain = 0;  // Process::drain_up_to() of the manager
  std::size_t client_batch = 64;  // most requests in one message of the client
  // Sessions with the manager; calls use them in turn. Many callers receive their outcomes in
  // separate messages.
  std::size_t callers = 1;
  // The next setup begins when the last release has been answered; no holding time, no rate.
  bool one_at_a_time = false;
  std::size_t switches = 3;  // on the path, 1 to 8: host-a, switch-1, ..., host-b
  Duration route_validity = std::chrono::seconds{5};
  // Timers and windows of the sessions at every end; none: the programs' own.
  std::optional<session::Limits> sessions;
  Placement placement = Placement::kOneHost;
  std::size_t cores = 2;
  Costs costs = native_costs();
};

// Remote invocations by leg, including lone acknowledgements and repeats.
struct Legs {
  std::uint64_t client_to_manager = 0;
  std::uint64_t manager_to_switches = 0;
  std::uint64_t switches_to_manager = 0;
  std::uint64_t manager_to_client = 0;
  std::uint64_t manager_to_mappers = 0;  // RouteObject, QOSMapper

  std::uint64_t sum() const {
    return client_to_manager + manager_to_switches + switches_to_manager + manager_to_client +
           manager_to_mappers;
  }
};

struct PointResult {
  // After the warm-up, until the last call has been offered.
  double offered_per_s = 0;
  double achieved_per_s = 0;     // setups answered
  double operations_per_s = 0;   // setups and releases answered
  double invocations_per_s = 0;  // GIOP requests at the manager, both directions
  double backlog_growth = 0;  // of unanswered setups in the second half, as a share of its arrivals
  // Of the whole run, until the last release has been answered.
  std::uint64_t offered = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t released = 0;
  bool ended = false;  // false: some were still open a minute after the last call
  // Setup latency in microseconds, from the intended start, after the warm-up.
  double mean_us = 0;
  double min_us = 0;
  double p5_us = 0;
  double p50_us = 0;
  double p95_us = 0;
  double p99_us = 0;
  double max_us = 0;
  std::uint64_t recorded = 0;  // latencies
  // [n]: arrivals after the warm-up that found n labels of the middle switch being replaced; and
  // the mean of that number over time, while calls were offered.
  std::vector<std::uint64_t> in_use_at_arrivals;
  double mean_in_use = 0;
  Legs invocations;
  double hit_ratio = 0;  // of the label caches
  double commands_per_batch = 0;
  struct Share {
    std::string process;
    double busy = 0;              // share of one core while calls were offered
    double us_per_operation = 0;  // processor time, of the whole run
    double wakes_per_operation = 0;
  };
  std::vector<Share> processes;
  std::uint64_t events = 0;

  bool sustained() const {
    return refused == 0 && achieved_per_s >= 0.99 * offered_per_s && backlog_growth <= 0.01;
  }
};

PointResult run_point(const PointPlan& plan);

// The highest sustained rate, within 1 %; the search begins at `plan.rate`.
double saturation(PointPlan plan);

}  // namespace xbind::model
