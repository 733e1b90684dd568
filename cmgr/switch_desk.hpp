// The SwitchServers of a manager: their sessions, aggregation queues, label caches and debts.
//
// Labels a connection no longer needs come back through give_back(), once every hop that might still
// use them has confirmed its removal (quarantine, DESIGN section 4 invariant 1).
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/aggregator.hpp"
#include "cmgr/config.hpp"
#include "cmgr/connection.hpp"
#include "cmgr/label_cache.hpp"
#include "cmgr/peers.hpp"

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

class SwitchDesk {
 public:
  // When removals that are owed are sent again, once they were answered: not possible. Within a session
  // every one is answered once, so that one under way is never repeated: of two, the answer that comes
  // first might be that of the second, which finds nothing and cannot name the label.
  static constexpr Duration kDebtRetry = std::chrono::seconds{1};
  static constexpr std::size_t kSwitches = 4096;

  SwitchDesk(const Config& config, Peers& peers);

  // The index of a switch name, for ever; a new one is asked for with Peers::attach_switch.
  SwitchIndex index_of(const std::string& name);
  std::optional<SwitchIndex> find(const std::string& name) const;

  // A (new) session has been opened: what the old one granted has lapsed. Debts are sent again.
  void attached(SwitchIndex at, SessionId session, std::uint32_t batches_in_flight,
                const std::vector<PortLabels>& quarantined, TimePoint now);
  // The session is over. Commands under way will never be answered in it.
  void lost(SwitchIndex at, std::string_view reason);
  std::size_t attached_count() const { return by_session_.size(); }
  bool is_attached(SwitchIndex at) const { return switches_[at]->session.value() != 0; }

  // Whose session that is; nothing if it is not (any more).
  std::optional<SwitchIndex> by_session(SessionId session) const;
  // The result batches that a frame brings into order. kProtocol: the session has been ended.
  Result<void> receive(SwitchIndex at, session::Frame<HopResultBatch> frame, TimePoint now,
                       std::vector<std::shared_ptr<const HopResultBatch>>& apply);
  void granted(SwitchIndex at, const PortLabels& labels);

  // Queues; a full batch of T commands is sent at once, credit permitting.
  void queue(SwitchIndex at, HopSetup setup, TimePoint now);
  void queue(SwitchIndex at, HopKey removal, TimePoint now);
  bool full(SwitchIndex at) const { return switches_[at]->queue.full(); }

  LabelCache& cache(SwitchIndex at, PortId port);
  // How often the switch has been attached: a label taken under another number has lapsed with it.
  std::uint32_t attachment(SwitchIndex at) const { return switches_[at]->attachments; }

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
  std::size_t owed() const { return owed_; }
  // The labels of that switch which debts (at any switch) hold.
  std::vector<std::shared_ptr<OwedLabel>> owed_labels(SwitchIndex at) const;

  void flush(TimePoint now);      // sends what is due
  void flush_all(TimePoint now);  // sends whatever waits, due or not
  // Repeats, confirmations, flush timeouts, debts. Returns the switches whose session was given up.
  std::vector<SwitchIndex> tick(TimePoint now);
  TimePoint next_deadline() const;

  const std::string& name(SwitchIndex at) const { return switches_[at]->name; }
  std::size_t size() const { return switches_.size(); }
  // The labels in the caches of that switch.
  void labels_cached(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  // Those that are on their way back, or owed.
  void labels_on_their_way(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;
  std::vector<HopKey> debts(SwitchIndex at) const;

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
    std::unordered_map<PortId, LabelCache> caches;
    std::map<HopKey, Debt> debts;
    TimePoint debts_due = kNever;
  };

  void send_due(Switch& at, TimePoint now);
  void send_one(Switch& at, TimePoint now);
  void transmit(Switch& at, session::Frame<HopBatch> frame);
  void end_session(Switch& at);
  void send_debts(Switch& at, TimePoint now);

  const Config& config_;
  Peers& peers_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::unordered_map<std::string, SwitchIndex> by_name_;
  std::unordered_map<SessionId, SwitchIndex> by_session_;  // of the current sessions
  std::size_t owed_ = 0;
  Counters counters_;
};

}  // namespace xbind::cmgr
