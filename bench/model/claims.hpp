// The bounds that the aggregation must keep in the model, with the constants of costs.cpp. The
// tests check these numbers and model_bench prints them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbind::model {

// The fixed thresholds T to compare the adaptive mode with; flush timeout 5 ms.
inline constexpr std::size_t kThresholds[] = {1, 2, 4, 10, 15, 32, 64};
// The highest rate that the best of them sustains on two cores, in setups per second. Loads are
// fractions of it.
inline constexpr double kBestSaturation = 160'000;
inline constexpr double kLoads[] = {0.01, 0.10, 0.30, 0.60, 0.85, 0.97};

// Adaptive: mean setup latency is at most this multiple of that of the best T for the load ...
inline constexpr double kLatencyBound = 1.10;
// ... and the sustained rate is at least this fraction of kBestSaturation.
inline constexpr double kThroughputBound = 0.95;

// xbind with T = 1 against the sequential manager at kLowRate, mean setup latency at most:
inline constexpr double kLowRate = 100;
inline constexpr double kSequentialLatencyBound = 0.5;
// xbind's sustained rate against that of the better of the two baselines, at least:
inline constexpr double kBaselineThroughputBound = 6;
inline constexpr std::size_t kThreads = 32;  // of the threaded baseline

}  // namespace xbind::model
