// Access classes: how much a subscriber may send, kept by a credit that grows at the sustained rate
// of the class up to one PDU of the longest kind, and that each PDU spends by its octets of
// information (Bellcore TR-TSV-000772 calls it a credit manager).
//
// Uses no clock: the owner passes the time, which does not go back.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/clock.hpp"

namespace xbind::smds {

// Mbit/s of information; 34 is all that a line of that class carries.
inline constexpr std::array<std::uint32_t, 5> kAccessClasses{4, 10, 16, 25, 34};

class Credit {
 public:
  // `mbit_per_s` from 1; `burst` octets, from 1: what the credit holds, at first.
  Credit(std::uint32_t mbit_per_s, std::size_t burst)
      : octets_per_s_(mbit_per_s * 125'000.0), most_(static_cast<double>(burst)), left_(most_) {}

  // Whether a PDU with that much information may be sent now; spends its octets.
  bool take(std::size_t octets, TimePoint now) {
    const double passed = std::chrono::duration<double>(now - filled_).count();
    left_ = std::min(most_, left_ + passed * octets_per_s_);
    filled_ = now;
    const auto wanted = static_cast<double>(octets);
    if (wanted > left_) return false;
    left_ -= wanted;
    return true;
  }

 private:
  double octets_per_s_;
  double most_;
  double left_;
  TimePoint filled_{};
};

}  // namespace xbind::smds
