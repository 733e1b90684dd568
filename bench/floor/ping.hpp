// Reference times below every floor: one message to another thread or process and back, over plain
// loopback TCP and through the ORB. The time depends on where the two ends run (a wake-up across
// processors costs more than the message), so each is measured three times: as the scheduler places
// them, both on one processor, and each on its own.
#pragma once

#include <functional>

#include "core/clock.hpp"
#include "core/metrics/histogram.hpp"
#include "core/result.hpp"

namespace xbind::callgen::null {

struct Pings {
  Histogram as_scheduled;
  Histogram same_processor;
  Histogram other_processor;  // empty when this process may use only one processor
};

inline constexpr int kPings = 1'000;  // of each kind, after
inline constexpr int kWarmUpPings = 100;

// Sends 64 octets and receives them back, between two threads.
Result<Pings> tcp_pings();

// `ping` makes one round trip to process `peer`, from this thread; its kUnreachable is returned.
// Afterwards the peer may run anywhere again.
Result<Pings> process_pings(int peer, const std::function<Result<void>()>& ping);

}  // namespace xbind::callgen::null
