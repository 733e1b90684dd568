// Labels and quotas that a manager keeps in advance, for each output port of each switch, and how
// much of them its connections use.
//
// Labels that a connection no longer needs return through give_back(), once every hop that might
// still use them has confirmed its removal (quarantine, docs/invariants.md, 1).
//
// Not thread-safe; owned by SwitchDesk.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/label_cache.hpp"
#include "cmgr/parts/quota_cache.hpp"
#include "cmgr/parts/switch_queues.hpp"
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

// The labels and quota kept in advance for one output port, and how much of them is in use.
struct PortCaches {
  LabelCache labels;
  QuotaCache quota;
  std::uint32_t held = 0;             // labels in connections
  std::uint32_t declared = 0;         // the demand declared to the SwitchServer last
  std::optional<HopKey> quota_rides;  // the hop whose command requested more quota
  Resources quota_asked;
};

class SwitchCaches {
 public:
  // Both must outlive it.
  SwitchCaches(const Config& config, SwitchQueues& queues) : config_(config), queues_(queues) {}

  // For a line that has been added to the queues.
  void add_switch() { switches_.push_back(std::make_unique<OfSwitch>()); }

  // ----- labels -----
  // Returns a label for a hop, or nullopt on a miss.
  std::optional<Label> take_label(SwitchIndex at, PortId port, TimePoint now);
  // A hop got a label by its reservation; or lost the label it had, which another connection has.
  void label_held(SwitchIndex at, PortId port) { ++caches(at, port).held; }
  void label_lost(SwitchIndex at, PortId port);
  // How many replacements the next command for the port is to request; and its answer.
  std::uint16_t want_labels(SwitchIndex at, PortId port, TimePoint now);
  void labels_answered(SwitchIndex at, PortId port, std::uint16_t asked);
  // Releases a label that no hop uses any more. If it was granted in the present session it goes
  // into the cache, or back to the SwitchServer when the cache is full. If it was granted in an
  // earlier one it is returned if it is quarantined. Otherwise it has lapsed and another manager
  // may have it, so nothing is done. `usable`: false if the other end of the link refuses the
  // label; then no call gets it from the cache.
  void give_back(const OwedLabel& label, TimePoint now, bool usable = true);
  // Returns a label to the SwitchServer, which has reported that it holds the label for this
  // manager.
  void return_label(SwitchIndex at, PortId port, Label label, TimePoint now);
  // Config's size and hit ratio have changed.
  void change_sizes();
  // The labels in the caches of that switch.
  void append_labels(SwitchIndex at, std::vector<std::pair<PortId, Label>>& out) const;

  // ----- quotas -----
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

  // ----- both -----
  // Handles what accompanies results: granted labels and quotas, and the SwitchServer's recalls.
  void granted(SwitchIndex at, const HopResultBatch& batch, TimePoint now);
  // Returns surplus of switches that are attached, and declares demand to them.
  void trim(TimePoint now);
  // The session is over, and what was granted in it has lapsed.
  void lapse(SwitchIndex at);
  // visit(PortId, const PortCaches&)
  template <class Visitor>
  void for_each_port(SwitchIndex at, Visitor&& visit) const {
    for (const auto& [port, caches] : switches_[at.value()]->ports) visit(port, caches);
  }
  void add_to(DeskCounters& sum) const;

 private:
  struct OfSwitch {
    std::deque<std::pair<PortId, PortCaches>> ports;
    FlatMap<PortId, PortCaches*> by_port;
  };

  PortCaches& caches(SwitchIndex at, PortId port) {
    OfSwitch& of = *switches_[at.value()];
    PortCaches* const known = of.by_port.find(port);
    return known != nullptr ? *known : add_port(of, port);
  }
  PortCaches& add_port(OfSwitch& of, PortId port);
  void trim(SwitchLine& line, TimePoint now);

  const Config& config_;
  SwitchQueues& queues_;
  std::vector<std::unique_ptr<OfSwitch>> switches_;  // by SwitchIndex
  std::uint64_t labels_recalled_ = 0;
  std::uint64_t labels_surplus_ = 0;
};

}  // namespace xbind::cmgr
