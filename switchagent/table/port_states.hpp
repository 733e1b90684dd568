// The state of each port of the fabric: card, line, administrative status, session number, rate,
// events (RFC 3292 section 6.1), and its effect on the data plane.
//
// A port is used by cells while its card is present, its line is up, and it is in service. It gets
// a new session number when its card is inserted, its line comes up, or it is brought up. The
// number is never 0 and differs from the one before.
//
// No clock; not thread-safe. Ports are numbered 1..count().
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "dataplane/switch_fabric.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "switchagent/table/fabric_options.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

class PortStates {
 public:
  // `cells` must outlive this object. `random` generates session numbers: one call per port and per
  // new session.
  PortStates(const FabricOptions& options, dataplane::SwitchFabric& cells,
             std::function<std::uint32_t()> random);

  std::uint32_t count() const { return count_; }
  std::uint32_t cards() const;  // number of installed ones
  // Whether the port exists, with its card. Accepts any number; everything below needs a port in
  // 1..count().
  bool has(PortId port) const {
    return port.value() >= 1 && port.value() <= count_ && at(port).installed;
  }
  bool installed(PortId port) const { return at(port).installed; }
  std::uint32_t session(PortId port) const { return at(port).session; }
  gsmp::PortStatus status(PortId port) const { return at(port).status; }
  bool line_up(PortId port) const { return at(port).line_up; }
  std::uint32_t rate(PortId port) const { return at(port).rate; }  // cells/s
  std::uint32_t rate_of_line(PortId port) const { return at(port).rate_default; }
  bool replaces(PortId port) const { return at(port).replace; }  // Connection Replace is enabled
  PortEventState& events(PortId port) { return at(port).events; }
  // Writes the port's state into its record.
  void describe(PortId port, gsmp::PortRecord& record) const;
  // The first check of every request with ports, which may be any numbers: kNone, kNoSuchPort or
  // kInvalidPortSession.
  gsmp::FailureCode check(PortId input, PortId output, std::uint32_t session) const;

  // Returns true if the state changed. Up: a new session.
  bool set_line(PortId port, bool up);
  // A card comes, without the old one's state, or goes. The state must change. The caller deletes
  // the port's connections.
  void insert(PortId port);
  void remove(PortId port);
  // In service, without a loopback, with a new session.
  void bring_up(PortId port);
  // `until`: when a loopback ends; kNever: not by itself.
  void enter(PortId port, gsmp::PortStatus status, dataplane::Loopback loopback, TimePoint until);
  void set_rate(PortId port, std::uint32_t cells_per_s);
  void set_replace(PortId port, bool enabled) { at(port).replace = enabled; }

  bool loopback_over(PortId port, TimePoint now) const { return at(port).loopback_end <= now; }
  TimePoint next_deadline() const;  // when the next loopback ends

 private:
  struct Port {
    std::uint32_t session = 0;
    bool installed = true;
    bool line_up = true;
    bool replace = false;
    gsmp::PortStatus status = gsmp::PortStatus::kAvailable;
    std::uint32_t rate = 0;          // now
    std::uint32_t rate_default = 0;  // rate of the line
    TimePoint loopback_end = kNever;
    PortEventState events;
  };

  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  Port& at(PortId port) { return ports_[port.value() - 1]; }
  void begin_session(Port& port);
  void apply_line(PortId port);

  dataplane::SwitchFabric& cells_;
  std::function<std::uint32_t()> random_;
  std::uint32_t count_;
  std::vector<Port> ports_;
};

}  // namespace xbind::switchagent
