// A switch in memory, connected to controllers by function calls. Its clock advances only in
// advance_one_period().
#pragma once

#include <memory>

#include "switchagent/switch_agent.hpp"
#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

class SwitchInMemory {
 public:
  virtual ~SwitchInMemory() = default;

  virtual switchagent::SwitchAgent& agent() = 0;
  virtual void set_line(PortId port, bool up) = 0;
  // Completes what the agent has requested of its table.
  virtual void settle() {}
  virtual void tick() { agent().tick(now); }

  TimePoint now{};
};

// A new connection to the switch, which lives as long as one of its connections.
std::unique_ptr<Transport> connect_to(std::shared_ptr<SwitchInMemory> to);

}  // namespace xbind::conformance
