// The switch table of xbind-gsmp-ovs, made from its options, and its connection to a bridge in
// memory. Octets travel only when the test carries them.
//
// The bridge is the test's and outlives the switch: a second OvsSwitch in front of the same bridge
// is the agent after a restart.
#pragma once

#include <string>
#include <vector>

#include "core/clock.hpp"
#include "ovs/options.hpp"
#include "ovs/ovs_table.hpp"
#include "switchagent/table/fabric.hpp"
#include "tests/unit/ovs/memory_bridge.hpp"

namespace xbind::ovs::test {

// The parts for a command line, without its first word and --bridge. Aborts if it is refused.
SwitchParts parts_for(const std::vector<std::string>& words = {});

class OvsSwitch {
 public:
  OvsSwitch(MemoryBridge& bridge, const SwitchParts& parts);

  // Connects, and carries octets until the bridge's contents are read.
  void connect(TimePoint now);
  // The connection breaks; what is in flight is lost.
  void cut();
  // Ends the batch and brings what the table has sent to the bridge. False: it had sent nothing.
  bool carry_to_bridge();
  // False: the bridge had answered nothing.
  bool carry_to_table(TimePoint now);
  // Carries in both directions until nothing is in flight.
  void settle(TimePoint now);

  switchagent::Fabric& fabric() { return fabric_; }
  const switchagent::Fabric& fabric() const { return fabric_; }
  OvsTable& table() { return table_; }
  MemoryBridge& bridge() { return bridge_; }
  const Layout& layout() const { return layout_; }
  // The flow of the connection at the input; null: there is none.
  openflow::FlowStats* flow(const Place& input);
  // The outputs of all connections on the bridge, as their flows and groups say, by input. A flow
  // of the agent that cannot be read back has no outputs.
  std::map<Place, std::vector<Place>> connections() const;

 private:
  MemoryBridge& bridge_;
  Layout layout_;
  std::uint32_t drawn_ = 0x5eed'0000;
  switchagent::Fabric fabric_;
  OvsTable table_;
};

}  // namespace xbind::ovs::test
