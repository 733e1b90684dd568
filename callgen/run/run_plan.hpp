// What a Runner is to do: the load, how it is sent, and when to give up. Everything is the plan's and the
// seed's; nothing of it depends on how a call fares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/pacer.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/load/trace.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::callgen {

struct RunPlan {
  std::uint64_t calls = 2000;
  double calls_per_s = 200;  // as in ArrivalPlan: mean, or where a ramp begins
  Arrivals arrivals = Arrivals::kPoisson;
  double burst_on_s = 1;
  double burst_off_s = 1;
  double ramp_to = 200;
  double ramp_s = 10;
  std::shared_ptr<const Trace> trace{};  // kTrace: `calls` of it at most
  // One at a time: no call starts this long after the beginning, even if fewer than `calls` have been made.
  Duration closed_loop_ends = Duration::max();

  Duration hold_mean = std::chrono::milliseconds{100};
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  double hold_sigma = 1;  // lognormal: see HoldingTime

  ScenarioMix mix{};
  PriorityMix priorities{};
  ServiceSpec service{.cells_per_s = 100};           // the same for every call
  ServiceSpec modified_service{.cells_per_s = 200};  // what a modify asks for
  bool both_ways = false;                            // the same service the other way as well
  std::uint32_t hold_ms = 10'000;  // how long a hold is asked to last; 1 to kHoldMsMax

  std::uint64_t seed = 1;
  Duration drain_timeout = std::chrono::seconds{10};
  Duration warm_up{};          // what is planned before is left out of latencies and rates
  std::size_t max_batch = 64;  // requests in one RequestBatch
  std::size_t managers = 1;    // at least 1
  // Calls that are set up, up or being released at a time. A call due beyond this bound on our
  // memory is not sent; it counts as unanswered and as shed, and the report says so.
  std::size_t max_open_calls = 4'000'000;
  // With setups alone call k (from 0) uses the requests first + 2k (setup) and first + 2k + 1 (release); with
  // any other mix first + 4k to first + 4k + 3, the last for its release.
  RequestId first_request{1};
};

ArrivalPlan arrivals_of(const RunPlan& plan);

// What of the load is needed to run it again, by the names of the options, and "peak-rate" where the rate is not
// the same all the time: only what the plan makes use of.
std::map<std::string, std::string> manifest_of(const RunPlan& plan);

}  // namespace xbind::callgen
