// The plan of a Runner: the load, how it is sent, and when to give up. It depends on options and
// seed only, never on the results of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/pacer.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/load/trace.hpp"
#include "callgen/run/phases.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::callgen {

struct RunPlan {
  std::uint64_t calls = 2000;
  double calls_per_s = 200;  // as in ArrivalPlan: the mean, or the beginning of a ramp
  Arrivals arrivals = Arrivals::kPoisson;
  double burst_on_s = 1;
  double burst_off_s = 1;
  double ramp_to = 200;
  double ramp_s = 10;
  std::shared_ptr<const Trace> trace{};  // kTrace: at most `calls` of its calls
  // kPhases. `mix` has every kind of call that some phase offers.
  std::vector<Phase> phases{};
  std::vector<CallClass> classes{};  // empty: `service` and `priorities`
  // With a rate that is changed during the run, calls are offered for this long instead of `calls`
  // of them; max(): `calls` are offered in any case.
  Duration offered_for = Duration::max();
  // One at a time: no call starts later than this after the beginning, even if fewer than `calls`
  // were made.
  Duration closed_loop_ends = Duration::max();

  Duration hold_mean = std::chrono::milliseconds{100};
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  double hold_sigma = 1;  // lognormal: see HoldingTime

  ScenarioMix mix{};
  PriorityMix priorities{};
  ServiceSpec service{.cells_per_s = 100};           // the same for every call
  ServiceSpec modified_service{.cells_per_s = 200};  // requested by a modify
  bool both_ways = false;                            // the same service in the reverse direction
  std::uint32_t hold_ms = 10'000;  // requested duration of a hold; 1 to kHoldMsMax

  std::uint64_t seed = 1;
  Duration drain_timeout = std::chrono::seconds{10};
  Duration warm_up{};          // requests planned earlier are left out of latencies and rates
  std::size_t max_batch = 64;  // requests in one RequestBatch
  std::size_t managers = 1;    // at least 1
  // Calls that are being set up, up or being released at a time. A call due beyond this limit,
  // which bounds memory, is not sent; it counts as unanswered and shed, and the report shows it.
  std::size_t max_open_calls = 4'000'000;
  // With setups only, call k (from 0) uses the requests first + 2k (setup) and first + 2k + 1
  // (release). With any other mix it uses first + 4k to first + 4k + 3, the last one for its
  // release.
  RequestId first_request{1};
};

ArrivalPlan arrivals_of(const RunPlan& plan);

// The values needed to repeat the load, by option names, and "peak-rate" where the rate varies.
// Contains only values that the plan uses.
std::map<std::string, std::string> manifest_of(const RunPlan& plan);

}  // namespace xbind::callgen
