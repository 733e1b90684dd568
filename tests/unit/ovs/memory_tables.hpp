// The tables of an Open vSwitch bridge in memory: flows, groups and meters, with the rules and the
// refusals of Open vSwitch 3.1 for the messages that xbind-gsmp-ovs sends. Packets are not handled.
//
// Values only: a copy is a snapshot.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "ovs/forwarding.hpp"
#include "ovs/openflow/messages.hpp"

namespace xbind::ovs::test {

class MemoryTables {
 public:
  // nullopt: done. An error has no data.
  using Outcome = std::optional<openflow::Error>;

  // What the bridge refuses when it reads the message, before any table is looked at: a field whose
  // prerequisite the match lacks, or an action that does not fit the match.
  static Outcome check(const openflow::FlowMod& message);
  Outcome apply(const openflow::FlowMod& message);
  Outcome apply(const openflow::GroupMod& message);
  Outcome apply(const openflow::MeterMod& message);

  // The flows that a request selects, in the order in which they were added.
  std::vector<openflow::FlowStats> find(const openflow::FlowStatsRequest& request) const;
  const std::vector<openflow::FlowStats>& flows() const { return flows_; }
  // The flow with exactly this match and priority in table 0; null: there is none.
  openflow::FlowStats* flow(const openflow::Match& match, std::uint16_t priority);
  const BucketsOf& groups() const { return groups_; }
  const std::map<std::uint32_t, MeterRate>& meters() const { return meters_; }

  std::size_t flows_max = std::numeric_limits<std::size_t>::max();  // beyond, an add is refused

 private:
  Outcome add(const openflow::FlowMod& message);
  template <class Selected>
  void erase(Selected selected);

  std::vector<openflow::FlowStats> flows_;
  BucketsOf groups_;
  std::map<std::uint32_t, MeterRate> meters_;
};

}  // namespace xbind::ovs::test
