// When the null manager sends what it has for a switch: the rules of the real one (cmgr/parts/aggregation.hpp),
// without its estimates. Fixed: a batch goes when T commands wait, or the oldest has waited for the flush
// timeout. Adaptive: what a step produced goes at once while few batches are on their way.
//
// Not thread-safe; owned by the null manager.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/clock.hpp"
#include "core/hop.hpp"

namespace xbind::callgen::null {

struct Gathering {
  bool adaptive = false;
  std::size_t threshold = 10;                             // fixed: T, from 1
  Duration flush_timeout = std::chrono::milliseconds{5};  // fixed
  std::size_t in_flight = 4;                              // adaptive: batches, from 1
};

class CommandQueue {
 public:
  explicit CommandQueue(const Gathering& rule) : rule_(rule) {}

  // The owner is said once for neighbours that have the same.
  void add(HopSetup setup, const HopOwner& owner, TimePoint now) {
    oldest_ = std::min(oldest_, now);
    if (waiting_.owners.empty() || waiting_.owners.back() != owner) {
      waiting_.owners.push_back(owner);
    }
    setup.owner = static_cast<std::uint32_t>(waiting_.owners.size() - 1);
    waiting_.setups.push_back(setup);
  }
  void add(HopModify change, TimePoint now) {
    oldest_ = std::min(oldest_, now);
    waiting_.modifies.push_back(change);
  }
  void add(HopKey removal, TimePoint now) {
    oldest_ = std::min(oldest_, now);
    waiting_.removals.push_back({removal, static_cast<std::uint32_t>(waiting_.setups.size())});
  }

  std::size_t size() const { return waiting_.commands(); }

  // At the end of a step, credit permitting. `on_their_way`: batches that the switch has not confirmed.
  bool due(TimePoint now, std::size_t on_their_way) const {
    if (size() == 0) return false;
    if (rule_.adaptive) return on_their_way < rule_.in_flight;
    return size() >= rule_.threshold || deadline() <= now;
  }
  // When the clock makes a batch due; kNever: it does not.
  TimePoint deadline() const {
    return size() == 0 || rule_.adaptive ? kNever : oldest_ + rule_.flush_timeout;
  }
  HopBatch take() {
    oldest_ = kNever;
    return std::exchange(waiting_, {});
  }

 private:
  Gathering rule_;
  HopBatch waiting_;
  TimePoint oldest_ = kNever;
};

}  // namespace xbind::callgen::null
