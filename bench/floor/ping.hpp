// The yardsticks below every floor: one message to another thread or process and back, over loopback TCP
// bare and through the ORB. What it costs depends on where the two ends run (a wake-up across processors
// costs more than the message), so each is measured three times: where the scheduler puts them, both on one
// processor, and each on its own.
#pragma once

#include <functional>

#include "core/clock.hpp"
#include "core/metrics/histogram.hpp"
#include "core/result.hpp"

namespace xbind::callgen::null {

struct Pings {
  Histogram as_scheduled;
  Histogram same_processor;
  Histogram other_processor;  // empty when we may use one alone
};

inline constexpr int kPings = 1'000;  // of each kind, after
inline constexpr int kWarmUpPings = 100;

// 64 octets and back between two threads.
Result<Pings> tcp_pings();

// `ping` does one round trip to process `peer`, from this thread; kUnreachable as it says. The peer may run
// anywhere again afterwards.
Result<Pings> process_pings(int peer, const std::function<Result<void>()>& ping);

}  // namespace xbind::callgen::null
