// When commands for a switch are sent: the settings, which an operator may change while calls run,
// and the policy that all aggregation queues of one manager share.
//
//   fixed     a batch is sent when T commands wait, or the oldest has waited for the flush timeout
//   regions   the same, T chosen by the estimated rate of calls (paper: T = 1 below 50 calls/s,
//             4 below 100, 10 above)
//   adaptive  no T and no timeout: the commands of one step are sent at once while few batches to
//             the switch are in flight. Beyond that limit, commands gather until a confirmation
//             makes room, so that batches grow with the load. Several batches to one switch keep it
//             busy while the manager computes. Where many switches have one batch each, no switch
//             is idle, and more batches would only be smaller.
//
// Estimator of the regions: each operation adds 1/tau to a rate that decays with the time constant
// tau = kRateMemory. The estimate is the rate before the operation adds its own share. Under
// Poisson arrivals its mean is their rate and its standard deviation is sqrt(rate / (2 tau)), 5 %
// at 100 operations/s. The rate changes with operations only, so that no timer runs while there are
// none: the first operation after a lull finds a low rate.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

enum class AggregationMode : std::uint8_t {
  kFixed = 0,
  kRegions = 1,
  kAdaptive = 2
};  // values as in the IDL

// T below a rate, in CALLS per second as in the paper. A call is set up and released: each of the
// two operations counts as half a call.
struct Region {
  double below_per_s = std::numeric_limits<double>::infinity();  // infinity for the last region
  std::size_t threshold = 1;                                     // T, 1..4096

  friend bool operator==(const Region&, const Region&) = default;
};

struct Aggregation {
  AggregationMode mode = AggregationMode::kFixed;
  std::size_t threshold = 1;                                    // fixed: T, 1..4096
  Duration flush_timeout = kManagerTimers["flush-timeout-ms"];  // 0.05 ms..10 s; adaptive: unused
  std::vector<Region> regions{{50, 1}, {100, 4}, {std::numeric_limits<double>::infinity(), 10}};
  std::size_t in_flight =
      4;  // adaptive: batches in flight to one switch, 1..256; see kBatchesToAll

  static constexpr std::size_t kThresholdMax = 4096;
  static constexpr std::size_t kInFlightMax = 256;
  // Adaptive: with so many batches in flight to all switches, each switch may have only one.
  static constexpr std::size_t kBatchesToAll = 16;
  static constexpr std::size_t kRegionsMax = 16;
  static constexpr Duration kFlushMin = kManagerTimers["flush-min"];
  static constexpr Duration kFlushMax = kManagerTimers["flush-max"];

  friend bool operator==(const Aggregation&, const Aggregation&) = default;
};

// kBadInput: a value is out of range (in any mode); the text names the value and its range.
Result<void> check(const Aggregation& settings);

// "50:1,100:4,10": T = 1 below 50 calls/s, 4 below 100, else 10. kBadInput: anything else.
Result<std::vector<Region>> parse_regions(std::string_view text);
std::string to_string(const std::vector<Region>& regions);

class AggregationPolicy {
 public:
  static constexpr Duration kRateMemory =
      kManagerTimers["rate-memory"];  // tau of the rate estimate

  explicit AggregationPolicy(Aggregation settings);  // settings that check() accepts

  // Queues use the new settings at once. kBadInput as for check(): nothing has changed.
  Result<void> set(Aggregation settings);
  const Aggregation& settings() const { return settings_; }

  // Counts a requested setup or release.
  void on_operation(TimePoint now);
  // T as of the last operation; 1 in adaptive mode.
  std::size_t threshold() const { return threshold_; }
  // Setups and releases per second, as of the last operation.
  double operations_per_s() const { return found_per_s_; }

 private:
  std::size_t threshold_for(double calls_per_s) const;
  void choose_threshold();

  Aggregation settings_;
  std::size_t threshold_ = 1;
  double rate_per_s_ = 0;   // including the share of the last operation
  double found_per_s_ = 0;  // without that share
  TimePoint last_{};
};

}  // namespace xbind::cmgr
