// The SwitchServers of a manager: their sessions, aggregation queues, caches of labels and quotas, and
// debts.
//
// Labels a connection no longer needs come back through give_back(), once every hop that might still
// use them has confirmed its removal (quarantine, docs/invariants.md, 1).
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/parts/aggregator.hpp"
#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/label_cache.hpp"
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/quota_cache.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/flat_map.hpp"

namespace xbind::cmgr {

// A label whose hops have not all confirmed their removal; shared by the debts that hold it.
struct OwedLabel {
  SwitchIndex at;
  PortId port;
  Label label;
  std::uint32_t attachment = 0;  // in which it was granted
  bool in_quarantine = false;    // the SwitchServer has said that it rests there
};

// A removal that could not be delivered or was not answered in time.
struct Debt {
  PortId output_port;                              // of the hop
  bool under_way = false;                          // asked for in this session, not answered yet
  std::vector<std::shared_ptr<OwedLabel>> labels;  // free when no debt holds them any more
};

// A contract that a committed hop could not be told in time.
struct OwedChange {
  HopModify change;
  bool under_way = false;
  std::uint8_t answers_to_skip = 0;  // to what was owed before, and told in this session
};

// What the manager keeps in advance of one output port, and how much of it is in use.
struct PortCaches {
  LabelCache labels;
  QuotaCache quota;
  std::uint32_t held = 0;             // labels in connections
  std::uint32_t declared = 0;         // what the SwitchServer was told last
  std::optional<HopKey> quota_rides;  // with whose command more quota was asked for
  Resources quota_asked;
};

class SwitchDesk {
 public:
  // When removals that are owed are sent again, once they were answered: not possible. Within a session
  // every one is answered once, so that one under way is never repeated: of two, the answer that comes
  // first might be that of the second, which finds nothing and cannot name the label.
  static constexpr Duration kDebtRetry = kManagerTimers["debt-retry"];
  static constexpr std::size_t kSwitches = 4096;
  static_assert(kSwitches <= std::numeric_limits<SwitchIndex::rep>::max());
  // How often caches are looked through for what is too much (not with fixed sizes).
  static constexpr Duration kTrim = kManagerTimers["cache-trim"];

  // `times` outlives the desk.
  SwitchDesk(const Config& config, Peers& peers, CallTimes& times);

  // The index of a switch name, for ever; a new one is asked for with Peers::attach_switch.
  SwitchIndex index_of(const std::string& name);
  std::optional<SwitchIndex> find(const std::string& name) const;

  // A (new) session has been opened: what the old one granted has lapsed. Debts are sent again.
  void attached(SwitchIndex at, SessionId session, std::uint32_t batches_in_flight,
                const std::vector<PortLabels>& quarantined, TimePoint now);
  // The session is over. Commands under way will never be answered in it.
  void lost(SwitchIndex at, std::string_view reason);
  template <class Visitor>
  void for_each_switch(Visitor&& visit) const {
    for (std::size_t i = 0; i < switches_.size(); ++i) visit(index_at(i));
  }
  std::size_t attached_count() const { return by_session_.size(); }
  bool is_attached(SwitchIndex at) const { return switches_[at.value()]->session.value() != 0; }

  // Whose session that is; nothing if it is not (any more).
  std::optional<SwitchIndex> by_session(SessionId session) const;
  // The result batches that a frame brings into order. kProtocol: the session has been ended.
  Result<void> receive(SwitchIndex at, session::Frame<HopResultBatch> frame, TimePoint now,
                       std::vector<std::shared_ptr<const HopResultBatch>>& apply);
  // What came with results: labels, quotas, and what the SwitchServer asks back.
  void granted(SwitchIndex at, const HopResultBatch& batch, TimePoint now);

  // Queues; a full batch of T commands is sent at once, credit permitting. `times`: of the call whose
  // command it is. A setup is filled in by `fill` at its place in the queue; its owner is there.
  template <class Fill>
  void queue_setup(SwitchIndex at, const Owner& owner, TimesIndex times, TimePoint now,
                   Fill&& fill) {
    Switch& to = *switches_[at.value()];
    ++counters_.commands;
    times_.queued(times);
    fill(to.queue.add_setup(owner, now, times));
    send_due(to, now, false);
  }
  void queue(SwitchIndex at, HopKey removal, TimesIndex times, TimePoint now);
  void queue(SwitchIndex at, HopModify change, TimePoint now);
  bool full(SwitchIndex at) const { return switches_[at.value()]->queue.full(); }
  // Two-way, for the engines that wait: Peers::invoke. The switch is attached.
  void invoke(SwitchIndex at, HopBatch batch, TimePoint now);

  AggregationPolicy& aggregation() { return aggregation_; }
  const AggregationPolicy& aggregation() const { return aggregation_; }

  // A label for a hop, or nothing on a miss.
  std::optional<Label> take_label(SwitchIndex at, PortId port, TimePoint now);
  // A hop has got a label by its reservation; or has lost the one it had, which is not ours.
  void label_held(SwitchIndex at, PortId port) { ++caches(at, port).held; }
  void label_lost(SwitchIndex at, PortId port);
  // How many replacements the next command for the port is to ask for, and its answer.
  std::uint16_t want_labels(SwitchIndex at, PortId port, TimePoint now);
  void labels_answered(SwitchIndex at, PortId port, std::uint16_t asked);
  // The demand of a hop counts, or no more.
  void book(SwitchIndex at, PortId port, const Resources& demand, TimePoint now);
  void unbook(SwitchIndex at, PortId port, const Resources& demand);
  // More quota to be asked for with the setup `rider`; its answer.
  Resources want_quota(SwitchIndex at, PortId port, const HopKey& rider, TimePoint now);
  void quota_answered(SwitchIndex at, PortId port, const HopKey& rider) {
    if (!config_.quotas) return;
    PortCaches& of = caches(at, port);
    if (of.quota_rides != rider) return;
    of.quota.answered(of.quota_asked);
    of.quota_rides.reset();
  }
  // How often the switch has been attached: a label taken under another number has lapsed with it.
  std::uint32_t attachment(SwitchIndex at) const { return switches_[at.value()]->attachments; }

  // A label that no hop uses any more. Granted in the present session it goes into the cache, or back
  // to the SwitchServer when the cache is full. Granted in an earlier one it goes back if it rests in
  // quarantine; else it has lapsed with that session and may be anybody's: nothing is done.
  void give_back(const OwedLabel& label, TimePoint now);
  // Back to the SwitchServer, which has said that it holds the label for us.
  void return_label(SwitchIndex at, PortId port, Label label, TimePoint now);

  void owe(SwitchIndex at, HopKey key, Debt debt, TimePoint now);
  // The hop has been removed after all; whether it was owed. `resting`: the label that is in quarantine
  // since, as the SwitchServer says.
  bool pay(SwitchIndex at, HopKey key, Label resting, TimePoint now);
  // It has not: its switch cannot be reached. False: it is not owed.
  bool not_paid(SwitchIndex at, HopKey key, TimePoint now);
  // A change of contract that is owed: told again until it is confirmed, or forgiven because the hop
  // is told something newer; then: how many answers to it may come yet in this session.
  void owe_change(SwitchIndex at, HopModify change, TimePoint now);
  bool change_answered(SwitchIndex at, const HopKey& key, Cause cause, TimePoint now);
  bool owes_change(SwitchIndex at, const HopKey& key) const {
    return switches_[at.value()]->changes.contains(key);
  }
  // True: its answer is still to come.
  std::uint8_t forgive_change(SwitchIndex at, const HopKey& key);
  // Answers to changes of that hop that a later change has overtaken: the next `answers` of this session
  // count for nothing.
  void skip_answers(SwitchIndex at, const HopKey& key, std::uint8_t answers);
  // Whether this answer is one of them.
  bool skips_answer(SwitchIndex at, const HopKey& key);
  // The hop is being removed: no contract is owed to it, and no answer to a change counts.
  void forget_change(SwitchIndex at, const HopKey& key) {
    Switch& of = *switches_[at.value()];
    if (!of.changes.empty()) forgive_change(at, key);
    if (!of.answers_to_skip.empty()) of.answers_to_skip.erase(key);
  }
  std::size_t owed() const { return owed_; }
  // The labels of that switch which debts (at any switch) hold.
  std::vector<std::shared_ptr<OwedLabel>> owed_labels(SwitchIndex at) const;

  void flush(TimePoint now);      // sends what is due
  void flush_all(TimePoint now);  // sends whatever waits, due or not
  // Repeats, confirmations, flush timeouts, debts. Returns the switches whose session was given up.
  std::vector<SwitchIndex> tick(TimePoint now);
  TimePoint next_deadline() const;

  const std::string& name(SwitchIndex at) const { return switches_[at.value()]->name; }
  std::size_t size() const { return switches_.size(); }
  // The labels in the caches of that switch.
  void labels_cached(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  // Those that are on their way back, or owed.
  void labels_on_their_way(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  std::vector<HopKey> debts(SwitchIndex at) const;
  template <class Visitor>
  void for_each_port(SwitchIndex at, Visitor&& visit) const {
    for (const auto& [port, caches] : switches_[at.value()]->caches) visit(port, caches);
  }

  struct Counters {
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
    std::uint64_t labels_recalled = 0;  // given back because a SwitchServer asked for them
    std::uint64_t labels_surplus = 0;   // given back because the cache had become too large
    std::uint64_t batches_resent = 0;
  };
  Counters counters() const;

 private:
  using SwitchSession = session::Session<HopBatch, HopResultBatch>;
  struct Switch {
    std::string name;
    SessionId session;  // 0: not attached
    std::uint32_t attachments = 0;
    std::unique_ptr<SwitchSession> link;
    Aggregator queue;
    std::deque<std::pair<PortId, PortCaches>> caches;
    FlatMap<PortId, PortCaches*> caches_by_port;
    std::map<HopKey, Debt> debts;
    std::map<HopKey, OwedChange> changes;
    std::map<HopKey, std::uint8_t> answers_to_skip;  // of hops that are not being removed
    TimePoint debts_due = kNever;
  };

  static SwitchIndex index_at(std::size_t position) {
    return SwitchIndex{static_cast<SwitchIndex::rep>(position)};
  }
  PortCaches& caches(SwitchIndex at, PortId port) {
    Switch& of = *switches_[at.value()];
    PortCaches* const known = of.caches_by_port.find(port);
    return known != nullptr ? *known : add_port(of, port);
  }
  PortCaches& add_port(Switch& of, PortId port);
  void send_due(Switch& at, TimePoint now, bool step_ends) {
    if (!at.link) return;
    while (!at.queue.empty() &&
           at.queue.due(now, at.link->unconfirmed(), batches_under_way_, step_ends) &&
           at.link->has_credit()) {
      send_one(at, now);
    }
  }
  void send_one(Switch& at, TimePoint now);
  void count_batches() {
    batches_under_way_ = 0;
    for (const auto& at : switches_) {
      if (at->link) batches_under_way_ += at->link->unconfirmed();
    }
  }
  void transmit(Switch& at, session::Frame<HopBatch> frame);
  void end_session(Switch& at);
  void send_debts(Switch& at, TimePoint now);
  void trim(Switch& at, TimePoint now);

  const Config& config_;
  Peers& peers_;
  CallTimes& times_;
  AggregationPolicy aggregation_;
  // Not confirmed, of all switches: as of the end of the step before, and those sent since.
  std::size_t batches_under_way_ = 0;
  TimePoint trim_due_ = kNever;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::unordered_map<std::string, SwitchIndex> by_name_;
  std::unordered_map<SessionId, SwitchIndex> by_session_;  // of the current sessions
  std::size_t owed_ = 0;
  Counters counters_;
};

}  // namespace xbind::cmgr
