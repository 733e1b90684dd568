// What every switch driver must do for the controller: requests and events. drivers/gsmp_driver.hpp
// implements it for GSMP. drivers/running_driver.hpp is the larger interface that a daemon owns.
// tests/conformance/driver tests every driver against it.
//
// Requests are pipelined: add(), remove() and move() only queue; flush() sends all queued requests
// in as few messages and writes as the protocol allows. Exactly one DriverEvent with the request's
// cookie answers each request, in any order. All calls come from the thread that owns the
// controller.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/audit.hpp"
#include "core/cause.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

struct SwitchPort {
  PortId port;
  LabelRanges labels;  // that the port accepts on input (RFC 3292 section 8.2); as checked_ranges()
  std::uint64_t cells_per_s = 0;  // transmit rate of the line
  bool up = true;                 // the line is up and the port is in service

  friend bool operator==(const SwitchPort&, const SwitchPort&) = default;
};

// Free-running counters of a port or of one connection. A counter that the switch lacks stays 0.
struct CellCounters {
  std::uint64_t input_cells = 0;
  std::uint64_t input_frames = 0;
  std::uint64_t input_cell_discards = 0;
  std::uint64_t input_frame_discards = 0;
  std::uint64_t hec_errors = 0;
  std::uint64_t invalid_labels = 0;  // cells that arrived with a label of no connection
  std::uint64_t output_cells = 0;
  std::uint64_t output_frames = 0;
  std::uint64_t output_cell_discards = 0;
  std::uint64_t output_frame_discards = 0;

  friend bool operator==(const CellCounters&, const CellCounters&) = default;
};

namespace driver {

using Cookie = std::uint64_t;

// The switch is reachable and its ports are known. `kept` is the PFlag that the adjacency agreed:
// true, the switch still has its connections; false, it started empty.
struct Up {
  std::vector<SwitchPort> ports;
  bool kept = true;
};
// Ports have changed while the switch stayed up. `ports` lists all of them as they are now. Those
// in `renewed` have begun a new session (their line came up again): their input has to be asserted
// again.
struct Ports {
  std::vector<SwitchPort> ports;
  std::vector<PortId> renewed;
};
// The adjacency is lost. Every open request was answered before with kSwitchUnreachable.
struct Down {
  std::string reason;
};
// The answer to add(), remove() or move(). `failure_code` is the driver's when cause is
// kSwitchRefused (GSMP: the number of version 3). Removing a missing cross-connect counts as done.
struct Done {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;
  bool again = false;   // refused because of a state that has changed since: worth one repetition
  bool absent = false;  // a move, refused because there was nothing to move
};
// Where cells enter a switch.
struct Input {
  PortId port;
  Label label;

  friend auto operator<=>(const Input&, const Input&) = default;
};
// The answer to read_table(), read_port() or read_inputs(). An entry whose output the switch cannot
// report has output port 0 and no output label.
struct Table {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::vector<CrossConnect> cross_connects;
};

// The answer to read_statistics(). Refusals by the switch as in Done.
struct Statistics {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;
  bool absent = false;  // refused because nothing enters there with that label
  CellCounters counters;
};

// The number of controllers of the switch has changed. A driver whose switch cannot report this
// never sends it.
struct Others {
  std::uint64_t controllers = 0;  // with this one
};

using Event = std::variant<Up, Ports, Down, Done, Table, Statistics, Others>;

}  // namespace driver

class SwitchDriver {
 public:
  virtual ~SwitchDriver() = default;
  // Adding an existing cross-connect replaces its traffic contract; the category stays the same.
  // With a contract of kNone the switch treats the cells by priority.
  virtual void add(const CrossConnect& cross_connect, const TrafficContract& contract,
                   driver::Cookie cookie) = 0;
  virtual void remove(const CrossConnect& cross_connect, driver::Cookie cookie) = 0;
  // Moves an existing cross-connect to another output in one step: cells always have the old path
  // or the new one. A refusal changes nothing.
  virtual void move(const CrossConnect& cross_connect, PortId new_output_port,
                    Label new_output_label, const TrafficContract& contract,
                    driver::Cookie cookie) = 0;
  // Reads the whole cross-connect table, port by port.
  virtual void read_table(driver::Cookie cookie) = 0;
  // Reads the entries that begin at this port. The answer may have others, too: a driver whose
  // switch cannot list one port lists the whole table.
  virtual void read_port(PortId /*port*/, driver::Cookie cookie) { read_table(cookie); }
  // Reads the entries of these inputs; there is at least one. The answer may have others, too: a
  // driver whose switch cannot look up one input lists the whole table.
  virtual void read_inputs(const std::vector<driver::Input>& /*inputs*/, driver::Cookie cookie) {
    read_table(cookie);
  }
  // Reads the switch's counters of the port; with a label, of the connection that enters there with
  // that label.
  virtual void read_statistics(PortId port, Label label, driver::Cookie cookie) = 0;
  virtual void flush() = 0;
};

}  // namespace xbind
