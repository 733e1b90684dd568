// The aggregation module of one switch (paper, items A1): commands wait here until their count (adds
// plus deletes) reaches the threshold T, or the oldest has waited for the flush timeout. Labels that
// are given back ride along and do not count.
//
// When the session has no credit the queue grows past T and the next batch is simply larger, up to
// kCommandsPerBatch; kCommandsQueued is the bound at which new calls are answered "busy".
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"

namespace xbind::cmgr {

struct Aggregation {
  std::size_t threshold = 1;  // T, commands; 1..4096
  Duration flush_timeout =
      std::chrono::milliseconds{5};  // a lone command waits this long when T > 1
};

class Aggregator {
 public:
  static constexpr std::size_t kCommandsPerBatch = 4096;
  static constexpr std::size_t kCommandsQueued = 200'000;
  // How long a returned label may wait for a command to ride with.
  static constexpr Duration kReturnDelay = std::chrono::milliseconds{100};

  explicit Aggregator(Aggregation settings) : settings_(settings) {}

  void add(HopSetup setup, TimePoint now) {
    arm(now + settings_.flush_timeout);
    queued_.setups.push_back(std::move(setup));
  }
  void add(HopKey removal, TimePoint now) {
    arm(now + settings_.flush_timeout);
    queued_.removals.push_back({removal, static_cast<std::uint32_t>(queued_.setups.size())});
  }
  void give_back(PortId port, Label label, TimePoint now) {
    arm(now + kReturnDelay);
    auto& returned = queued_.returned;
    auto same = std::find_if(returned.begin(), returned.end(),
                             [&](const PortLabels& entry) { return entry.port == port; });
    if (same == returned.end()) same = returned.insert(returned.end(), PortLabels{port, {}});
    same->labels.push_back(label);
  }

  std::size_t size() const { return queued_.commands(); }
  bool empty() const { return size() == 0 && queued_.returned.empty(); }
  bool full() const { return size() >= kCommandsQueued; }
  // Whether a batch should go now, credit permitting.
  bool due(TimePoint now) const { return size() >= settings_.threshold || deadline_ <= now; }
  TimePoint deadline() const { return deadline_; }
  void flush_now(TimePoint now) {
    if (!empty()) arm(now);
  }

  // The next batch; requires !empty(). Everything queued, or its first kCommandsPerBatch commands.
  HopBatch take() {
    if (size() <= kCommandsPerBatch) {
      deadline_ = kNever;
      return std::exchange(queued_, {});
    }
    return take_part();
  }

  // Labels that wait to go back.
  const std::vector<PortLabels>& returning() const { return queued_.returned; }
  // The session has ended: what was queued for it means nothing to the next one.
  void clear() {
    queued_ = {};
    deadline_ = kNever;
  }
  const Aggregation& settings() const { return settings_; }

 private:
  void arm(TimePoint deadline) { deadline_ = std::min(deadline_, deadline); }

  // Cuts kCommandsPerBatch commands off the front, in their order; the rest stays due.
  HopBatch take_part() {
    HopBatch part;
    std::size_t setups = 0;
    std::size_t removals = 0;
    while (setups + removals < kCommandsPerBatch) {
      const bool removal_next =
          removals < queued_.removals.size() && queued_.removals[removals].after <= setups;
      ++(removal_next ? removals : setups);
    }
    const auto setup_end = queued_.setups.begin() + static_cast<std::ptrdiff_t>(setups);
    const auto removal_end = queued_.removals.begin() + static_cast<std::ptrdiff_t>(removals);
    std::move(queued_.setups.begin(), setup_end, std::back_inserter(part.setups));
    part.removals.assign(queued_.removals.begin(), removal_end);
    queued_.setups.erase(queued_.setups.begin(), setup_end);
    queued_.removals.erase(queued_.removals.begin(), removal_end);
    for (HopRemoval& removal : queued_.removals)
      removal.after -= static_cast<std::uint32_t>(setups);
    part.returned = std::exchange(queued_.returned, {});
    return part;
  }

  Aggregation settings_;
  HopBatch queued_;
  TimePoint deadline_ = kNever;
};

}  // namespace xbind::cmgr
