// The SwitchServers of a manager: their names and sessions. What is queued for them, kept in
// advance of them and owed to them are parts of their own, handed out.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cmgr/parts/switch_caches.hpp"
#include "cmgr/parts/switch_debts.hpp"
#include "cmgr/parts/switch_queues.hpp"
#include "core/events/event_log.hpp"

namespace xbind::cmgr {

class SwitchDesk {
 public:
  static constexpr Duration kDebtRetry = SwitchDebts::kRetry;
  static constexpr Duration kEntriesPauseMax = 64 * kDebtRetry;  // see entries_known()
  static constexpr std::size_t kSwitches = 4096;
  static_assert(kSwitches <= std::numeric_limits<SwitchIndex::rep>::max());
  // The interval of looking for surplus in the caches (not with fixed sizes).
  static constexpr Duration kTrim = kManagerTimers["cache-trim"];

  // All must outlive the desk.
  SwitchDesk(const Config& config, Peers& peers, CallTimes& times, CallTraces& traces)
      : config_(config), peers_(peers), queues_(config, peers, times, traces) {}

  SwitchQueues& queues() { return queues_; }
  const SwitchQueues& queues() const { return queues_; }
  SwitchCaches& caches() { return caches_; }
  const SwitchCaches& caches() const { return caches_; }
  SwitchDebts& debts() { return debts_; }
  const SwitchDebts& debts() const { return debts_; }

  // Reports every session that begins or ends to `events`, which must outlive the desk.
  void report_sessions(EventLog& events) { events_ = &events; }

  // ----- names -----
  // The permanent index of a switch name; a new switch is attached with Peers::attach_switch.
  // kExhausted: kSwitches names are known already, those of removed switches included; nothing has
  // changed, and the text has the name and the number.
  Result<SwitchIndex> index_of(const std::string& name);
  std::optional<SwitchIndex> find(const std::string& name) const;
  const std::string& name(SwitchIndex at) const { return queues_.at(at).name; }
  std::size_t size() const { return queues_.size(); }
  // The network has no such switch any more: ends the session, and attaches again only when
  // index_of() is called for the name. False: something is owed there or under way.
  bool let_go(SwitchIndex at);
  // Visits every switch except those that let_go() has removed.
  template <class Visitor>
  void for_each_switch(Visitor&& visit) const {
    for (const auto& line : queues_.lines()) {
      if (!states_[line->index.value()].gone) visit(line->index);
    }
  }

  // ----- claims -----
  // The switch is to be attached to again, to claim what its SwitchServer has lost.
  void claim_lost(SwitchIndex at) { peers_.claim_lost(name(at)); }
  // Its SwitchServer need await no further claims of this manager: says so until it has heard it.
  void claimed_all(SwitchIndex at) {
    states_[at.value()].claims_end = true;
    if (is_attached(at)) finish_claims(at);
  }
  // The answer to Peers::finish_claims(). False: the SwitchServer may not have heard it.
  void claims_finished(SwitchIndex at, SessionId session, bool heard, TimePoint now);
  // Whether it is known how many entries nobody has claimed there. If not, Peers::finish_claims()
  // asks again, each time after a longer pause: the manager must have claimed everything there.
  void entries_known(SwitchIndex at, bool known, TimePoint now);

  // ----- sessions -----
  // A session has been opened: grants of the old one have lapsed. Debts are sent again.
  void attached(SwitchIndex at, SessionId session, std::uint32_t batches_in_flight,
                const std::vector<PortLabels>& quarantined, TimePoint now);
  // The session has ended. Commands under way will not be answered in it.
  void lost(SwitchIndex at, std::string_view reason);
  std::size_t attached_count() const { return by_session_.size(); }
  bool is_attached(SwitchIndex at) const { return queues_.at(at).attached(); }
  // How often the switch has been attached: a label taken under another number has lapsed.
  std::uint32_t attachment(SwitchIndex at) const { return queues_.at(at).attachments; }
  // The switch of a session; nullopt if the session is unknown or over.
  std::optional<SwitchIndex> by_session(SessionId session) const;
  // Appends the result batches that the frame brings into order. kProtocol: the session has been
  // ended.
  Result<void> receive(SwitchIndex at, session::Frame<HopResultBatch> frame, TimePoint now,
                       std::vector<std::shared_ptr<const HopResultBatch>>& apply);
  // The labels of that switch that are being returned or owed.
  void labels_on_their_way(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;

  struct Ended {
    SwitchIndex at;
    AttachTable::Lost lost = AttachTable::Lost::kNothing;
  };
  // Handles repeats, confirmations, flush timeouts and debts. Returns the switches whose session
  // was given up, and why.
  std::vector<Ended> tick(TimePoint now);
  TimePoint next_deadline() const;

  using Counters = DeskCounters;
  Counters counters() const;

 private:
  struct State {
    TimePoint claims_due = kNever;  // when finish_claims() is called again
    bool claims_end = false;        // see claimed_all()
    Duration entries_pause{};       // not 0: see entries_known()
    bool gone = false;              // see let_go()
  };

  void finish_claims(SwitchIndex at) {
    states_[at.value()].claims_due = kNever;
    peers_.finish_claims(queues_.at(at).session, name(at));
  }
  void end_session(SwitchIndex at);

  const Config& config_;
  Peers& peers_;
  SwitchQueues queues_;
  SwitchCaches caches_{config_, queues_};
  SwitchDebts debts_{queues_, caches_};
  std::vector<State> states_;  // by SwitchIndex
  std::unordered_map<std::string, SwitchIndex> by_name_;
  std::unordered_map<SessionId, SwitchIndex> by_session_;  // of the current sessions
  TimePoint trim_due_ = kNever;
  EventLog* events_ = nullptr;
  std::uint64_t frames_in_ = 0;
  std::uint64_t sessions_lost_ = 0;
};

}  // namespace xbind::cmgr
