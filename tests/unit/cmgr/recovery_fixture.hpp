// A fixture for a manager that ends, and the next one of its name, which reads what the first one
// had in the ledgers of sw1 to sw4 (exchange.hpp).
#pragma once

#include "cmgr/alarm_conditions.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "exchange.hpp"

namespace xbind::cmgr {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

inline constexpr std::uint64_t kEarlier = 4;  // the epoch of the manager that has ended

inline ConnectionId earlier(std::uint64_t number) {
  return ConnectionId{kEarlier << kIdCounterBits | number};
}

class RecoveryTest : public ExchangeTest {
 protected:
  RecoveryTest() { config.epoch = kEarlier + 1; }

  // Attaches to every switch and learns the network, as the daemon does before it serves.
  void restart(const std::vector<std::string>& missing = {}) {
    start(false);
    if (begins_) manager().begin_epoch(Epoch{kEarlier + 1}, false);
    if (prepares_) {
      EXPECT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
    }
    manager().set_network(switches_, links_, now, ends_);
    for (const std::string& name : switches_) {
      if (std::find(missing.begin(), missing.end(), name) == missing.end()) come_back(name);
    }
    log_in("mia");
  }
  // The switch is attached for the first time, and its ledger read in pages of one hop.
  void come_back(const std::string& name, Recovery::ReadAs as = Recovery::ReadAs::kWhole) {
    if (unclaimed_.contains(name)) manager().note_entries_of_nobody(name, unclaimed_[name], now);
    attach(name, resting_[name]);
    std::vector<LedgerHop>& hops = held_[name];
    for (std::size_t i = 0; i < std::max<std::size_t>(hops.size(), 1); ++i) {
      HeldHops page;
      page.owners = {owner_at_.contains(name) ? owner_at_[name] : client_};
      if (!to_[name].empty()) page.owners.front().to = to_[name][i];
      if (i < hops.size()) page.hops = {hops[i]};
      page.next = i + 1 < hops.size() ? i + 1 : 0;
      manager().switch_holds(name, page, now, as);
    }
    finish();
  }
  LedgerHop& holds(const std::string& name, ConnectionId id, std::uint16_t number,
                   std::uint32_t input_port, std::uint32_t input_vci, std::uint32_t output_port,
                   std::uint32_t output_vci) {
    LedgerHop hop;
    hop.key = {id, Generation{1}, 0, number};
    hop.cross_connect = {PortId{input_port}, vci(input_vci), PortId{output_port}, vci(output_vci)};
    hop.hop_count = 3;
    hop.demand = {100, 10};
    hop.settled = true;
    hop.request = RequestId{9};
    held_[name].push_back(hop);
    return held_[name].back();
  }
  void holds_call(ConnectionId id) {
    holds("sw1", id, 0, 1, 500, 10, 40);
    holds("sw2", id, 1, 20, 40, 21, 41);
    holds("sw3", id, 2, 30, 41, 2, 600);
  }
  // A leaf at sw4 of that call.
  void holds_leaf(ConnectionId id) {
    LedgerHop& branch = holds("sw2", id, 0, 20, 40, 22, 45);
    branch.key.leg = 2;
    branch.hop_count = 2;
    branch.branch = true;
    LedgerHop& end = holds("sw4", id, 1, 40, 45, 2, 700);
    end.key.leg = 2;
    end.hop_count = 2;
  }

  // Every hop is a reservation for a hold that ends after `left`.
  void reserved_for(Duration left) {
    for (auto& [name, hops] : held_) {
      hops.front().stage = HopStage::kReserved;
      hops.front().held = true;
      hops.front().hold_left = left;
      hops.front().cross_connect.input_label = {};
    }
  }
  // The manager restarts, serves without that switch, and its client releases the call.
  void release_without(const char* unread) {
    restart({unread});
    manager().serve_with_switches_missing(now);
    finish();
    release(1, earlier(1));
    wait(milliseconds{1});
  }

  // The alarms about calls of earlier epochs.
  std::vector<std::string> alarms() {
    AlarmCounts counts;
    std::vector<std::string> found;
    for (const AlarmCondition& one : conditions_of(manager(), "m", counts)) {
      if (one.kind != AlarmKind::kLinksDiffer && one.kind != AlarmKind::kCallsIncomplete) continue;
      found.push_back(one.object + ": " + one.cause);
    }
    return found;
  }

  // The findings of an audit of that switch, which has the hops of the earlier epoch.
  std::vector<FindingKind> audit(const std::string& name) {
    LedgerReport report;
    report.hops = held_[name];
    const ManagerView view = manager().view_of(name);
    std::vector<FindingKind> found;
    for (const Finding& one : compare(name, view, report, view)) found.push_back(one.kind);
    return found;
  }

  std::vector<std::string> switches_{"sw1", "sw2", "sw3", "sw4"};
  const std::vector<NetworkLink> right_links_{{"sw1", PortId{10}, "sw2", PortId{20}},
                                              {"sw2", PortId{21}, "sw3", PortId{30}},
                                              {"sw2", PortId{22}, "sw4", PortId{40}}};
  std::vector<NetworkLink> links_ = right_links_;  // as the topology says
  std::vector<NetworkEnd> ends_;                   // none: not known
  std::map<std::string, std::vector<LedgerHop>> held_;
  HopOwner client_{"mia", Epoch{1}, "ann", "bob"};
  std::map<std::string, HopOwner> owner_at_;  // where the ledger has another one
  bool prepares_ = false;
  bool begins_ = false;  // with the epoch known before the network, as in the daemon
  std::map<std::string, std::vector<std::string>> to_;
  std::map<std::string, std::vector<PortLabels>> resting_;  // in quarantine
  std::map<std::string, std::uint64_t> unclaimed_;          // entries, as the switches say
};

}  // namespace xbind::cmgr
