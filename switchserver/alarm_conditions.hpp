// The states of a SwitchServer that raise alarms (core/alarms), and the changes of its ports that
// are events. Pure; on the logic's thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/alarms/alarm_table.hpp"
#include "core/events/event.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

// Whether ports admit nothing new because hops on them may still be claimed.
bool awaits_claims(const SwitchController& controller);

// The conditions of the ledger, of its managers and of the ports. Takes time in proportion to ports
// and managers. `name`: of the switch.
std::vector<AlarmCondition> conditions_of(const SwitchController& controller,
                                          const std::string& name);

// Compares the ports with those of the last call. At most as many as the ledger has.
class PortWatch {
 public:
  std::vector<Event> changes(const std::vector<SwitchPort>& ports, const std::string& switch_name);

 private:
  std::map<PortId, bool> up_;
};

}  // namespace xbind
