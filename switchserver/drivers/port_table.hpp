// The ports of a switch as it last reported them, their services, and what of this the driver has
// reported to its controller.
//
// Pure; bounded by the switch's ports, at most 65535. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/label.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "switchserver/drivers/gsmp_service.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class PortTable {
 public:
  struct Port {
    SwitchPort about;
    bool has_labels = true;  // false: the port is not reported
    LabelRanges left_out;    // ranges of the switch that are not used; logged when they change
    std::uint32_t session = 0;
    std::uint32_t reported_session = 0;  // the session number at the last report
    std::uint32_t sequence = 0;          // of its last event
    std::uint8_t priorities = 1;
    ServiceSet services = 0;
  };

  const Port& at(PortId port) const;  // an unknown port: a default Port
  Port* find(PortId port);            // null: unknown
  const Port* find(PortId port) const;
  std::uint32_t session(PortId port) const { return at(port).session; }

  // Takes over what the switch reports of a port; logs what of it is not used. Returns the session
  // number that the port had; nullopt: it was unknown.
  std::optional<std::uint32_t> know(const gsmp::PortRecord& record);
  void forget(PortId port) { ports_.erase(port); }
  void clear();

  bool any_services() const;
  // What the switch does for a connection of each service category.
  const TcFlags& tc_flags() const { return tc_flags_; }
  void set_tc_flags(const TcFlags& flags) { tc_flags_ = flags; }

  // Reports all ports; each session counts as reported.
  const std::vector<SwitchPort>& report_all();
  // Reports what has changed since the last report; nullopt: nothing.
  std::optional<driver::Ports> report_changes();
  const std::vector<SwitchPort>& reported() const { return reported_; }

 private:
  std::vector<SwitchPort> usable() const;

  std::map<PortId, Port> ports_;
  std::vector<SwitchPort> reported_;
  TcFlags tc_flags_{};
};

}  // namespace xbind
