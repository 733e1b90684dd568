// What a line between two addresses does to packets: the rule of a [[path]]. Plain data.
#pragma once

#include <cstdint>

#include "core/clock.hpp"

namespace xbind::wan {

inline constexpr std::uint64_t kRateMax = 1'000'000'000'000;  // octets a second
inline constexpr std::uint64_t kDelayUsMax = 10'000'000;
inline constexpr std::uint64_t kQueueOctetsMax = 1U << 30;
inline constexpr std::uint64_t kQueueOctets = 256U << 10;  // by default

struct Rule {
  std::uint64_t octets_per_s = kRateMax;  // of whole IP packets; never 0
  Duration delay{};                       // from the last octet's sending to the delivery
  // Probabilities, 0 to 1, drawn for each packet independently.
  double loss = 0;
  double duplicate = 0;  // of those not lost: delivered twice
  double reorder = 0;    // of those not lost: held for `reorder_by` more, others overtake them
  Duration reorder_by{};
  std::uint64_t queue_octets = kQueueOctets;  // of packets that wait for the line; 0: none waits

  friend bool operator==(const Rule&, const Rule&) = default;
};

}  // namespace xbind::wan
