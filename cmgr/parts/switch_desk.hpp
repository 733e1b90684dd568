// The SwitchServers of a manager: their sessions, aggregation queues, caches of labels and quotas,
// and debts.
//
// Labels that a connection no longer needs return through give_back(), once every hop that might
// still use them has confirmed its removal (quarantine, docs/invariants.md, 1).
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
#include "core/audit.hpp"
#include "core/events/event_log.hpp"
#include "core/flat_map.hpp"

namespace xbind::cmgr {

// A label whose hops have not all confirmed their removal; shared by the debts that refer to it.
struct OwedLabel {
  SwitchIndex at;
  PortId port;
  Label label;
  std::uint32_t attachment = 0;  // number of the attachment in which it was granted
  bool in_quarantine = false;    // the SwitchServer has reported that it is quarantined
};

// A removal that could not be delivered or was not answered in time.
struct Debt {
  CrossConnect cross_connect;                      // of the hop; labels that no answer named: none
  std::uint16_t hop_count = 0;                     // of its leg
  bool confirmed = false;                          // the hop had been committed
  bool under_way = false;                          // sent in this session, not answered yet
  std::vector<std::shared_ptr<OwedLabel>> labels;  // released when no debt refers to them
  // An order among removals of one connection: no debt with `after` is sent before all debts with
  // the same `before` have been paid.
  std::shared_ptr<const void> before{};
  std::weak_ptr<const void> after{};
};

// A contract that a committed hop could not be sent in time, or a handover.
struct OwedChange {
  HopModify change;
  bool under_way = false;
  bool counted = false;  // among the debts; false: a handover that was sent at once
};

// The labels and quota kept in advance for one output port, and how much of them is in use.
struct PortCaches {
  LabelCache labels;
  QuotaCache quota;
  std::uint32_t held = 0;             // labels in connections
  std::uint32_t declared = 0;         // the demand declared to the SwitchServer last
  std::optional<HopKey> quota_rides;  // the hop whose command requested more quota
  Resources quota_asked;
};

class CallTraces;  // call_traces.hpp

class SwitchDesk {
 public:
  // The pause before owed removals are sent again after the switch answered that they are
  // impossible. Within a session each removal is answered once, so a removal under way is never
  // repeated. Otherwise the first answer might be that of the repeat, which finds nothing and
  // cannot name the label.
  static constexpr Duration kDebtRetry = kManagerTimers["debt-retry"];
  static constexpr Duration kEntriesPauseMax = 64 * kDebtRetry;  // see entries_known()
  static constexpr std::size_t kSwitches = 4096;
  static_assert(kSwitches <= std::numeric_limits<SwitchIndex::rep>::max());
  // The interval of looking for surplus in the caches (not with fixed sizes).
  static constexpr Duration kTrim = kManagerTimers["cache-trim"];

  // `times` must outlive the desk.
  SwitchDesk(const Config& config, Peers& peers, CallTimes& times, CallTraces& traces);

  // Reports every session that begins or ends to `events`, which must outlive the desk.
  void report_sessions(EventLog& events) { events_ = &events; }

  // The permanent index of a switch name; a new switch is attached with Peers::attach_switch.
  // kExhausted: kSwitches names are known already, those of removed switches included; nothing has
  // changed, and the text has the name and the number.
  Result<SwitchIndex> index_of(const std::string& name);
  std::optional<SwitchIndex> find(const std::string& name) const;

  // The network has no such switch any more: ends the session, and attaches again only when
  // index_of() is called for the name. False: something is owed there or under way.
  bool let_go(SwitchIndex at);

  // A session has been opened: grants of the old one have lapsed. Debts are sent again.
  // The switch is to be attached to again, to claim what its SwitchServer has lost.
  void claim_lost(SwitchIndex at) { peers_.claim_lost(name(at)); }
  // Its SwitchServer need await no further claims of this manager: says so until it has heard it.
  void claimed_all(SwitchIndex at) {
    Switch& it = *switches_[at.value()];
    it.claims_end = true;
    if (it.link) finish_claims(it);
  }
  // The answer to Peers::finish_claims(). False: the SwitchServer may not have heard it.
  void claims_finished(SwitchIndex at, SessionId session, bool heard, TimePoint now);
  // Whether it is known how many entries nobody has claimed there. If not, Peers::finish_claims()
  // asks again, each time after a longer pause: the manager must have claimed everything there.
  void entries_known(SwitchIndex at, bool known, TimePoint now);
  void attached(SwitchIndex at, SessionId session, std::uint32_t batches_in_flight,
                const std::vector<PortLabels>& quarantined, TimePoint now);
  // The session has ended. Commands under way will not be answered in it.
  void lost(SwitchIndex at, std::string_view reason);
  // Visits every switch except those that let_go() has removed.
  template <class Visitor>
  void for_each_switch(Visitor&& visit) const {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (!switches_[i]->gone) visit(index_at(i));
    }
  }
  std::size_t attached_count() const { return by_session_.size(); }
  bool is_attached(SwitchIndex at) const { return switches_[at.value()]->session.value() != 0; }

  // The switch of a session; nullopt if the session is unknown or over.
  std::optional<SwitchIndex> by_session(SessionId session) const;
  // Appends the result batches that the frame brings into order. kProtocol: the session has been
  // ended.
  Result<void> receive(SwitchIndex at, session::Frame<HopResultBatch> frame, TimePoint now,
                       std::vector<std::shared_ptr<const HopResultBatch>>& apply);
  // Handles what accompanies results: granted labels and quotas, and the SwitchServer's recalls.
  void granted(SwitchIndex at, const HopResultBatch& batch, TimePoint now);

  // Queues a command; a full batch of T commands is sent at once if there is credit. `times`: index
  // of the command's call. `fill` fills the setup in at its place in the queue, where the owner is
  // already set.
  template <class Fill>
  void queue_setup(SwitchIndex at, const Owner& owner, TimesIndex times, TimePoint now,
                   Fill&& fill) {
    Switch& to = *switches_[at.value()];
    ++counters_.commands;
    times_.queued(times);
    fill(to.queue.add_setup(owner, now, times));
    send_due(to, now, false);
  }
  // The command that is queued next, of that connection, is recorded (call_traces.hpp).
  void trace(SwitchIndex at, ConnectionId connection) {
    switches_[at.value()]->queue.trace(connection);
  }
  void queue(SwitchIndex at, HopKey removal, TimesIndex times, TimePoint now);
  void queue(SwitchIndex at, HopModify change, TimePoint now);
  bool full(SwitchIndex at) const { return switches_[at.value()]->queue.full(); }
  // Two-way, for the engines that wait: Peers::invoke. The switch must be attached.
  void invoke(SwitchIndex at, HopBatch batch, TimePoint now);

  AggregationPolicy& aggregation() { return aggregation_; }
  const AggregationPolicy& aggregation() const { return aggregation_; }

  // Returns a label for a hop, or nullopt on a miss.
  std::optional<Label> take_label(SwitchIndex at, PortId port, TimePoint now);
  // A hop got a label by its reservation; or lost the label it had, which another connection has.
  void label_held(SwitchIndex at, PortId port) { ++caches(at, port).held; }
  void label_lost(SwitchIndex at, PortId port);
  // How many replacements the next command for the port is to request; and its answer.
  std::uint16_t want_labels(SwitchIndex at, PortId port, TimePoint now);
  void labels_answered(SwitchIndex at, PortId port, std::uint16_t asked);
  // Adds the demand of a hop to the quota in use, or subtracts it.
  void book(SwitchIndex at, PortId port, const Resources& demand, TimePoint now);
  void unbook(SwitchIndex at, PortId port, const Resources& demand);
  // The quota to request with the setup `rider`; and its answer.
  Resources want_quota(SwitchIndex at, PortId port, const HopKey& rider, TimePoint now);
  void quota_answered(SwitchIndex at, PortId port, const HopKey& rider) {
    if (!config_.quotas) return;
    PortCaches& of = caches(at, port);
    if (of.quota_rides != rider) return;
    of.quota.answered(of.quota_asked);
    of.quota_rides.reset();
  }
  // How often the switch has been attached: a label taken under another number has lapsed.
  std::uint32_t attachment(SwitchIndex at) const { return switches_[at.value()]->attachments; }

  // Releases a label that no hop uses any more. If it was granted in the present session it goes
  // into the cache, or back to the SwitchServer when the cache is full. If it was granted in an
  // earlier one it is returned if it is quarantined. Otherwise it has lapsed and another manager
  // may have it, so nothing is done. `usable`: false if the other end of the link refuses the
  // label; then no call gets it from the cache.
  void give_back(const OwedLabel& label, TimePoint now, bool usable = true);
  // Returns a label to the SwitchServer, which has reported that it holds the label for this
  // manager.
  void return_label(SwitchIndex at, PortId port, Label label, TimePoint now);

  void owe(SwitchIndex at, HopKey key, Debt debt, TimePoint now);
  // Sends what is owed at the next tick, without the pause of kDebtRetry.
  void pay_soon(TimePoint now) {
    for (const auto& at : switches_) {
      if (!at->debts.empty() || !at->changes.empty()) at->debts_due = now;
    }
  }
  // The hop has been removed after all. Returns whether the removal was owed. `resting`: the label
  // that the SwitchServer reports as quarantined by this removal.
  bool pay(SwitchIndex at, HopKey key, Label resting, TimePoint now);
  // A removal found nothing, and the label of an earlier epoch that the hop had may be free, cached
  // or in quarantine there: once no debt is under way the session is given up, because an
  // attachment says which.
  void label_unclear(SwitchIndex at, TimePoint now) {
    switches_[at.value()]->unclear = true;
    switches_[at.value()]->debts_due = now;
  }
  // The removal failed: the switch cannot be reached. False: it is not owed.
  bool not_paid(SwitchIndex at, HopKey key, TimePoint now);
  // An owed change of contract: sent again until it is confirmed, or forgiven because the hop is
  // sent a newer contract.
  void owe_change(SwitchIndex at, HopModify change, TimePoint now);
  // The same, sent at once if the switch is attached.
  void owe_change_at_once(SwitchIndex at, HopModify change, TimePoint now);
  // The answer to a change of that hop with that revision. False: it is not owed (any more).
  bool change_answered(SwitchIndex at, const HopResult& result, TimePoint now);
  bool owes_change(SwitchIndex at, const HopKey& key) const {
    return switches_[at.value()]->changes.contains(key);
  }
  // Drops an owed change.
  void forgive_change(SwitchIndex at, const HopKey& key);
  std::size_t owed() const { return owed_; }
  // The labels of that switch that debts (at any switch) refer to.
  std::vector<std::shared_ptr<OwedLabel>> owed_labels(SwitchIndex at) const;

  void flush(TimePoint now);      // sends what is due
  void flush_all(TimePoint now);  // sends everything queued, due or not
  struct Ended {
    SwitchIndex at;
    AttachTable::Lost lost = AttachTable::Lost::kNothing;
  };
  // Handles repeats, confirmations, flush timeouts and debts. Returns the switches whose session
  // was given up, and why.
  std::vector<Ended> tick(TimePoint now);
  TimePoint next_deadline() const;

  const std::string& name(SwitchIndex at) const { return switches_[at.value()]->name; }
  std::size_t size() const { return switches_.size(); }
  // The labels in the caches of that switch.
  void labels_cached(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  // The labels of that switch that are being returned or owed.
  void labels_on_their_way(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  std::vector<HopKey> debts(SwitchIndex at) const;
  // The label is not released before that removal is confirmed. False: it is not owed.
  bool hold_until_removed(SwitchIndex at, const HopKey& key,
                          const std::shared_ptr<OwedLabel>& label);
  // Appends those of one connection.
  void debts_of(SwitchIndex at, ConnectionId connection, std::vector<HopKey>& keys) const;
  // A switch that owes removals, which keep labels of the port from being used again. The first one
  // found; looks at all debts.
  std::optional<SwitchIndex> keeps_labels_of(SwitchIndex at, PortId port) const;
  // Visits the removals that are owed to that switch: visit(HopKey, Debt).
  template <class Visitor>
  void for_each_debt(SwitchIndex at, Visitor&& visit) const {
    for (const auto& [key, debt] : switches_[at.value()]->debts) visit(key, debt);
  }
  // Config's size and hit ratio have changed.
  void change_label_caches();
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
    std::uint64_t labels_recalled = 0;  // returned because a SwitchServer recalled them
    std::uint64_t labels_surplus = 0;   // returned because the cache had become too large
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
    TimePoint debts_due = kNever;
    TimePoint claims_due = kNever;  // when finish_claims() is called again
    bool claims_end = false;        // see claimed_all()
    Duration entries_pause{};       // not 0: see entries_known()
    bool unclear = false;           // see label_unclear()
    bool gone = false;              // see let_go()
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
  void finish_claims(Switch& at) {
    at.claims_due = kNever;
    peers_.finish_claims(at.session, at.name);
  }
  void send_debts(Switch& at, TimePoint now);
  void count_change(OwedChange& owed) {
    if (std::exchange(owed.counted, true)) return;
    ++owed_;
    ++counters_.debts_made;
  }
  void uncount_change(const OwedChange& owed) {
    if (!owed.counted) return;
    --owed_;
    ++counters_.debts_paid;
  }
  static bool must_attach_again(const Switch& at) {
    return at.unclear && at.link && at.debts.empty();
  }
  void trim(Switch& at, TimePoint now);

  const Config& config_;
  Peers& peers_;
  CallTimes& times_;
  CallTraces& traces_;
  AggregationPolicy aggregation_;
  // Unconfirmed batches of all switches: as of the end of the previous step, plus those sent since.
  std::size_t batches_under_way_ = 0;
  TimePoint trim_due_ = kNever;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::unordered_map<std::string, SwitchIndex> by_name_;
  std::unordered_map<SessionId, SwitchIndex> by_session_;  // of the current sessions
  std::size_t owed_ = 0;
  Counters counters_;
  EventLog* events_ = nullptr;
};

}  // namespace xbind::cmgr
