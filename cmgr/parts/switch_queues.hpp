// The SwitchServers of a manager as lines: the session with each, if there is one, and the commands
// queued for it, which leave in batches (aggregator.hpp).
//
// Not thread-safe; owned by SwitchDesk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cmgr/parts/aggregator.hpp"
#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/peers.hpp"

namespace xbind::cmgr {

class CallTraces;  // call_traces.hpp

// What a manager has counted with its SwitchServers; each part adds its own numbers.
struct DeskCounters {
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t commands = 0;
  std::uint64_t sessions_lost = 0;
  std::uint64_t debts_made = 0;
  std::uint64_t debts_paid = 0;
  std::uint64_t label_hits = 0;  // sums over the caches
  std::uint64_t label_misses = 0;
  std::uint64_t labels_cached = 0;
  std::uint64_t quota_hits = 0;
  std::uint64_t quota_misses = 0;
  std::uint64_t labels_recalled = 0;  // returned because a SwitchServer recalled them
  std::uint64_t labels_surplus = 0;   // returned because the cache had become too large
  std::uint64_t batches_resent = 0;
};

struct SwitchLine {
  using Session = session::Session<HopBatch, HopResultBatch>;

  SwitchIndex index;
  std::string name;
  Aggregator queue;
  SessionId session{};              // 0: not attached
  std::uint32_t attachments = 0;    // how often it has been attached
  std::unique_ptr<Session> link{};  // null: not attached

  bool attached() const { return session.value() != 0; }
};

class SwitchQueues {
 public:
  // All must outlive it.
  SwitchQueues(const Config& config, Peers& peers, CallTimes& times, CallTraces& traces);

  // ----- the lines -----
  SwitchIndex add(const std::string& name);
  std::size_t size() const { return lines_.size(); }
  SwitchLine& at(SwitchIndex index) { return *lines_[index.value()]; }
  const SwitchLine& at(SwitchIndex index) const { return *lines_[index.value()]; }
  const std::vector<std::unique_ptr<SwitchLine>>& lines() const { return lines_; }
  void begin_session(SwitchIndex index, SessionId session, std::uint32_t batches_in_flight,
                     TimePoint now);
  // What is queued is forgotten: debts and timers of calls know of it. The line must be attached.
  void end_session(SwitchIndex index);

  // ----- commands -----
  // Queues a command; a full batch of T commands is sent at once if there is credit. `times`: index
  // of the command's call. `fill` fills the setup in at its place in the queue, where the owner is
  // already set.
  template <class Fill>
  void queue_setup(SwitchIndex index, const Owner& owner, TimesIndex times, TimePoint now,
                   Fill&& fill) {
    SwitchLine& to = at(index);
    ++commands_;
    times_.queued(times);
    fill(to.queue.add_setup(owner, now, times));
    send_due(to, now, false);
  }
  void queue(SwitchIndex index, HopKey removal, TimesIndex times, TimePoint now);
  void queue(SwitchIndex index, HopModify change, TimePoint now);
  bool full(SwitchIndex index) const { return at(index).queue.full(); }
  // The command that is queued next, of that connection, is recorded (call_traces.hpp).
  void trace(SwitchIndex index, ConnectionId connection) { at(index).queue.trace(connection); }
  // Two-way, for the engines that wait: Peers::invoke. The switch must be attached.
  void invoke(SwitchIndex index, HopBatch batch);

  AggregationPolicy& aggregation() { return aggregation_; }
  const AggregationPolicy& aggregation() const { return aggregation_; }

  // ----- sending -----
  // `step_ends`: no further command of this step can fill the batch.
  void send_due(SwitchLine& to, TimePoint now, bool step_ends) {
    if (!to.link) return;
    while (!to.queue.empty() &&
           to.queue.due(now, to.link->unconfirmed(), batches_under_way_, step_ends) &&
           to.link->has_credit()) {
      send_one(to, now);
    }
  }
  void flush(TimePoint now);      // sends what is due
  void flush_all(TimePoint now);  // sends everything queued, due or not
  // Handles repeats and confirmations of a line that is attached. An error: it has been silent.
  Result<void> tick(SwitchLine& line, TimePoint now);
  // As of now, what send_due() goes by; it counts what it sends itself.
  void count_batches();
  TimePoint next_deadline() const;

  void add_to(DeskCounters& sum) const;

 private:
  void send_one(SwitchLine& to, TimePoint now);
  void transmit(SwitchLine& to, session::Frame<HopBatch> frame);

  const Config& config_;
  Peers& peers_;
  CallTimes& times_;
  CallTraces& traces_;
  AggregationPolicy aggregation_;
  std::vector<std::unique_ptr<SwitchLine>> lines_;
  // Unconfirmed batches of all switches: as of the end of the previous step, plus those sent since.
  std::size_t batches_under_way_ = 0;
  std::vector<session::Frame<HopBatch>> repeats_;  // of one tick()
  std::uint64_t frames_out_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t resent_before_ = 0;  // batches, in sessions that are over
};

}  // namespace xbind::cmgr
