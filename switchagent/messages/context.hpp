// What the handlers of messages use of their agent. All of it outlives every request.
#pragma once

#include <vector>

#include "switchagent/messages/agent_counters.hpp"
#include "switchagent/messages/agent_options.hpp"
#include "switchagent/messages/injected_refusals.hpp"
#include "switchagent/messages/open_requests.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

struct Context {
  SwitchTable& table;
  const AgentOptions& options;
  AgentCounters& counters;
  std::vector<AgentNotice>& notices;
  InjectedRefusals& refusals;
  OpenRequests& open;
};

}  // namespace xbind::switchagent
