// The local state of a switch table that keeps its ports and connections in a fabric: sessions of
// ports, status, event state, records, services. The requests are the task of the class derived
// from it: fabric_table.hpp executes them in the fabric, and a table for another switch executes
// them there and follows them in the fabric.
//
// Not thread-safe.
#pragma once

#include "switchagent/table/fabric.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

class FabricState : public SwitchTable {
 public:
  // ----- changes of the switch; the client is notified of each -----
  // Takes a port's line down, or up with a new session number. `port` must exist.
  void set_line(PortId port, bool up);
  // Inserts a card, or removes it with its port's connections. `port` in 1..ports.
  void set_installed(PortId port, bool installed);

  std::uint32_t ports() const override { return fabric_.ports(); }
  std::uint32_t installed_ports() const override { return fabric_.port_states().cards(); }
  std::optional<std::uint32_t> port_session(PortId port) const override;
  gsmp::PortStatus port_status(PortId port) const override { return fabric_.port_status(port); }
  gsmp::PortRecord port_record(PortId port) const override { return fabric_.port_record(port); }
  std::uint32_t rate(PortId port) const override { return fabric_.port_states().rate(port); }
  PortEventState& events(PortId port) override { return fabric_.events(port); }
  std::size_t branches() const override { return fabric_.branches(); }
  const std::vector<gsmp::ServiceRecord>& services() const override {
    return fabric_.options().services;
  }

 protected:
  // `fabric` must outlive the table.
  explicit FabricState(Fabric& fabric) : fabric_(fabric) {}

  Fabric& fabric_;
};

}  // namespace xbind::switchagent
