// The events of the agent (RFC 3292 section 9): Port Up and Down, Invalid Label, New and Dead Port,
// Adjacency Update. Every established controller gets each event that its version has.
//
// Sequence numbers and flags belong to the port (PortEventState), which the table keeps. Flow
// control holds back Invalid Label like other events. With flow control off, at most one Invalid
// Label per port is sent in each kInvalidLabelRest, whatever the cell rate.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "gsmp/messages/event.hpp"
#include "switchagent/messages/agent_counters.hpp"
#include "switchagent/messages/agent_options.hpp"
#include "switchagent/messages/controller.hpp"
#include "switchagent/table/switch_table.hpp"
#include "switchagent/timers.hpp"

namespace xbind::switchagent {

inline constexpr Duration kInvalidLabelRest = kAgentTimers["invalid-label-rest"];

class AgentEvents {
 public:
  // All arguments must outlive this object.
  AgentEvents(SwitchTable& table, const AgentOptions& options, Controllers& controllers,
              AgentCounters& counters)
      : table_(table),
        options_(options),
        controllers_(controllers),
        counters_(counters),
        next_invalid_label_(table.ports()) {}

  // Notifies the controllers of their number.
  void adjacency_update();
  // Counts a detected event of a port in 1..ports(). Sends it unless flow control holds it back or
  // no controller is connected. `session`: the port's session number to report.
  void raise(gsmp::MessageType type, PortId port, std::uint32_t session, Label label = {});
  // The same for a cell with a label of no connection. Called for every such cell.
  void invalid_label(PortId port, Label label, TimePoint now);

 private:
  void send(gsmp::Event event);

  SwitchTable& table_;
  const AgentOptions& options_;
  Controllers& controllers_;
  AgentCounters& counters_;
  // Earliest next Invalid Label event of each port, if flow control is off.
  std::vector<TimePoint> next_invalid_label_;
};

}  // namespace xbind::switchagent
