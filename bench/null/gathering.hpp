// Decides when the null manager sends a switch its pending commands: the rules of the real manager
// (cmgr/parts/aggregation.hpp) without its estimates. Fixed: a batch is sent when T commands are
// pending, or when the oldest has waited for the flush timeout. Adaptive: the commands of a step
// are sent at once while few batches are unconfirmed.
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

  // Consecutive commands of the same owner name the owner once.
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

  // At the end of a step, if credit permits. `on_their_way`: batches that the switch has not
  // confirmed.
  bool due(TimePoint now, std::size_t on_their_way) const {
    if (size() == 0) return false;
    if (rule_.adaptive) return on_their_way < rule_.in_flight;
    return size() >= rule_.threshold || deadline() <= now;
  }
  // When a batch becomes due by time; kNever: none does.
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
