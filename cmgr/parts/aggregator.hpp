// The aggregation queue of one switch. Commands wait here until their number (adds, deletes and
// modifies) reaches the threshold T, or the oldest has waited for the flush timeout. In adaptive
// mode they wait until few enough batches are in flight (cmgr/parts/aggregation.hpp). Items that
// are not commands (returned labels and quotas, declared demands) do not count. They travel with a
// command, and wait for one at most kReturnDelay.
//
// The queue stores times of arrival, not deadlines, so that changed settings also apply to commands
// that wait already.
//
// When the session has no credit the queue grows past T, and the next batch is larger, up to
// kCommandsPerBatch. New calls are answered "busy" when kCommandsQueued commands wait.
//
// Each setup and removal carries its call's timing index (CallTimes); the aggregator does not
// interpret it. A batch lists each owner of its setups once (BatchOwners).
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cmgr/parts/aggregation.hpp"
#include "cmgr/parts/batch_owners.hpp"
#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"

namespace xbind::cmgr {

class Aggregator {
 public:
  static constexpr std::size_t kCommandsPerBatch = 4096;
  static constexpr std::size_t kCommandsQueued = 200'000;
  // The longest time that an item that is not a command waits for a command to travel with.
  static constexpr Duration kReturnDelay = kManagerTimers["return-delay"];

  // The policy is shared and outlives the queue.
  explicit Aggregator(const AggregationPolicy& policy) : policy_(&policy) {}

  void add(HopSetup setup, TimePoint now, TimesIndex call = kNotTimed) {
    add_setup(now, call) = std::move(setup);
  }
  // The same; the caller fills the returned setup in before it uses the queue again.
  HopSetup& add_setup(TimePoint now, TimesIndex call = kNotTimed) {
    oldest_command_ = std::min(oldest_command_, now);
    if (queued_.setups.empty()) queued_.setups.reserve(setups_expected_);
    setup_calls_.push_back(call);
    return queued_.setups.emplace_back();
  }
  // The same, with the setup's owner.
  HopSetup& add_setup(const Owner& owner, TimePoint now, TimesIndex call) {
    HopSetup& setup = add_setup(now, call);
    setup.owner = batch_owners_.place_of(owner, queued_.owners);
    return setup;
  }
  void add(HopKey removal, TimePoint now, TimesIndex call = kNotTimed) {
    oldest_command_ = std::min(oldest_command_, now);
    if (queued_.removals.empty()) queued_.removals.reserve(removals_expected_);
    queued_.removals.push_back({removal, static_cast<std::uint32_t>(queued_.setups.size())});
    removal_calls_.push_back(call);
  }
  void add(HopModify change, TimePoint now) {
    oldest_command_ = std::min(oldest_command_, now);
    queued_.modifies.push_back(std::move(change));
  }
  void give_back(PortId port, Label label, TimePoint now) {
    oldest_rider_ = std::min(oldest_rider_, now);
    entry_of(queued_.returned, port).labels.push_back(label);
  }
  void give_back(PortId port, Resources quota, TimePoint now) {
    oldest_rider_ = std::min(oldest_rider_, now);
    entry_of(queued_.quota_returned, port).quota += quota;
  }
  // Only the latest demand of a port is sent.
  void declare(PortId port, std::uint32_t labels, TimePoint now) {
    oldest_rider_ = std::min(oldest_rider_, now);
    entry_of(queued_.declared, port).labels = labels;
  }

  // The next command, of that connection, is to be recorded by its SwitchServer.
  void trace(ConnectionId connection) { queued_.traced.push_back(connection); }

  std::size_t size() const { return queued_.commands(); }
  bool empty() const {
    return size() == 0 && queued_.returned.empty() && queued_.quota_returned.empty() &&
           queued_.declared.empty();
  }
  bool full() const { return size() >= kCommandsQueued; }

  // Whether a batch should be sent now if there is credit. `batches_in_flight`: to this switch;
  // `to_all`: to all switches of the manager. `step_ends`: nothing more will be added in this step.
  bool due(TimePoint now, std::size_t batches_in_flight, std::size_t to_all, bool step_ends) const {
    if (flush_at_ <= now || riders_deadline() <= now) return true;
    if (size() == 0) return false;
    const Aggregation& settings = policy_->settings();
    if (settings.mode == AggregationMode::kAdaptive) {
      const std::size_t allowed = to_all < Aggregation::kBatchesToAll ? settings.in_flight : 1;
      return step_ends && (batches_in_flight < allowed || size() >= kCommandsPerBatch);
    }
    return size() >= policy_->threshold() || commands_deadline() <= now;
  }
  // When the clock makes a batch due. In adaptive mode commands wait for no clock: the end of the
  // step or the next confirmation sends them.
  TimePoint deadline() const {
    return std::min({flush_at_, riders_deadline(), commands_deadline()});
  }
  void flush_now(TimePoint now) {
    if (!empty()) flush_at_ = std::min(flush_at_, now);
  }

  // Returns the next batch; requires !empty(). It holds everything queued, or the first
  // kCommandsPerBatch commands, modifies first because the receiver applies them first. Calls
  // `left` with the timing index of each setup and removal in it.
  template <class Left>
  HopBatch take(Left&& left) {
    oldest_rider_ = kNever;
    HopBatch batch = size() > kCommandsPerBatch ? take_part() : take_whole();
    setups_expected_ = std::min(batch.setups.size(), kExpectedMax);
    removals_expected_ = std::min(batch.removals.size(), kExpectedMax);
    leave(setup_calls_, batch.setups.size(), left);
    leave(removal_calls_, batch.removals.size(), left);
    return batch;
  }
  HopBatch take() {
    return take([](TimesIndex) {});
  }

  // Labels that wait to be returned.
  const std::vector<PortLabels>& returning() const { return queued_.returned; }
  // Empties the queue because the session has ended: its content has no meaning in the next one.
  // Calls `dropped` with the timing index of each dropped setup and removal.
  template <class Dropped>
  void clear(Dropped&& dropped) {
    queued_ = {};
    oldest_command_ = oldest_rider_ = flush_at_ = kNever;
    leave(setup_calls_, setup_calls_.size(), dropped);
    leave(removal_calls_, removal_calls_.size(), dropped);
  }
  void clear() {
    clear([](TimesIndex) {});
  }

 private:
  template <class Entry>
  static Entry& entry_of(std::vector<Entry>& entries, PortId port) {
    const auto same = std::find_if(entries.begin(), entries.end(),
                                   [&](const Entry& entry) { return entry.port == port; });
    if (same != entries.end()) return *same;
    return entries.emplace_back(Entry{port, {}});
  }

  TimePoint commands_deadline() const {
    if (size() == 0) return kNever;
    const Aggregation& settings = policy_->settings();
    if (settings.mode == AggregationMode::kAdaptive) return kNever;
    if (size() >= policy_->threshold()) return oldest_command_;
    return oldest_command_ + settings.flush_timeout;
  }
  TimePoint riders_deadline() const {
    return oldest_rider_ == kNever ? kNever : oldest_rider_ + kReturnDelay;
  }

  HopBatch take_whole() {
    oldest_command_ = kNever;
    flush_at_ = kNever;
    return std::exchange(queued_, {});
  }

  // Cuts kCommandsPerBatch commands off the front, in their order. The rest keeps its time of
  // arrival.
  HopBatch take_part() {
    HopBatch part;
    const std::size_t modifies = std::min(queued_.modifies.size(), kCommandsPerBatch);
    std::size_t setups = 0;
    std::size_t removals = 0;
    while (modifies + setups + removals < kCommandsPerBatch) {
      const bool removal_next =
          removals < queued_.removals.size() && queued_.removals[removals].after <= setups;
      ++(removal_next ? removals : setups);
    }
    part.modifies = cut(queued_.modifies, modifies);
    part.setups = cut(queued_.setups, setups);
    part.owners = queued_.owners;  // the rest refers to them as well
    part.removals = cut(queued_.removals, removals);
    if (!queued_.traced.empty()) trace_part(part);
    for (HopRemoval& removal : queued_.removals)
      removal.after -= static_cast<std::uint32_t>(setups);
    part.returned = std::exchange(queued_.returned, {});
    part.quota_returned = std::exchange(queued_.quota_returned, {});
    part.declared = std::exchange(queued_.declared, {});
    return part;
  }

  // Moves the ids of the part's commands. Each command has put its own into the list.
  void trace_part(HopBatch& part) {
    std::vector<ConnectionId>& all = queued_.traced;
    const std::unordered_set<ConnectionId> known(all.begin(), all.end());
    const auto move = [&](const auto& commands) {
      for (const auto& command : commands) {
        if (!known.contains(command.key.connection)) continue;
        const auto found = std::find(all.begin(), all.end(), command.key.connection);
        if (found == all.end()) continue;
        part.traced.push_back(*found);
        all.erase(found);
      }
    };
    move(part.modifies);
    move(part.setups);
    move(part.removals);
  }

  template <class Command>
  static std::vector<Command> cut(std::vector<Command>& from, std::size_t count) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Command> front(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
    return front;
  }

  template <class Visitor>
  static void leave(std::vector<TimesIndex>& calls, std::size_t count, Visitor& visit) {
    for (std::size_t i = 0; i < count; ++i) visit(calls[i]);
    if (count == calls.size()) {
      calls.clear();
    } else {
      calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  // Limits the room that is reserved with the first command of a batch; that room is the size of
  // the last batch.
  static constexpr std::size_t kExpectedMax = 256;

  const AggregationPolicy* policy_;
  HopBatch queued_;
  BatchOwners batch_owners_;
  std::size_t setups_expected_ = 0;
  std::size_t removals_expected_ = 0;
  std::vector<TimesIndex> setup_calls_;  // timing index of each setup
  std::vector<TimesIndex> removal_calls_;
  TimePoint oldest_command_ = kNever;  // when it was added
  TimePoint oldest_rider_ = kNever;
  TimePoint flush_at_ = kNever;  // from then on everything queued is due
};

}  // namespace xbind::cmgr
