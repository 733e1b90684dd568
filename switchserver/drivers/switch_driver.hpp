// What any switch must be able to do for a SwitchServer, as the controller sees it: requests and
// events. drivers/gsmp_driver.hpp speaks GSMP; drivers/running_driver.hpp is what a daemon owns of a
// driver beyond this. tests/conformance/driver holds every driver to it.
//
// Requests are pipelined: add(), remove() and move() only queue, flush() sends everything queued in as
// few messages and as few writes as the protocol allows. Every request is answered by exactly one
// DriverEvent with its cookie, in any order. All calls come from the thread that owns the controller.
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
  LabelRanges
      labels;  // that the port takes on what comes in (RFC 3292 section 8.2); as checked_ranges()
  std::uint64_t cells_per_s = 0;  // transmit rate of the line
  bool up = true;                 // the line is up and the port is in service

  friend bool operator==(const SwitchPort&, const SwitchPort&) = default;
};

// Free-running counters of a port or of one connection; what the switch does not count stays 0.
struct CellCounters {
  std::uint64_t input_cells = 0;
  std::uint64_t input_frames = 0;
  std::uint64_t input_cell_discards = 0;
  std::uint64_t input_frame_discards = 0;
  std::uint64_t hec_errors = 0;
  std::uint64_t invalid_labels = 0;  // cells that came in with a label of no connection
  std::uint64_t output_cells = 0;
  std::uint64_t output_frames = 0;
  std::uint64_t output_cell_discards = 0;
  std::uint64_t output_frame_discards = 0;

  friend bool operator==(const CellCounters&, const CellCounters&) = default;
};

namespace driver {

using Cookie = std::uint64_t;

// The switch is there and its ports are known. `kept` is what the adjacency agreed (PFlag): true, the
// switch still has its connections; false, it started empty.
struct Up {
  std::vector<SwitchPort> ports;
  bool kept = true;
};
// Ports have changed while the switch stayed: all of them as they are now. Those of `renewed` have begun
// a new session (their line came up again): what comes in there is to be asserted again.
struct Ports {
  std::vector<SwitchPort> ports;
  std::vector<PortId> renewed;
};
// The adjacency is lost. Every request still open has been answered before with kSwitchUnreachable.
struct Down {
  std::string reason;
};
// The answer to add(), remove() or move(). `failure_code` is the driver's when cause is kSwitchRefused
// (GSMP: the number of version 3). A removal of something that is not there counts as done.
struct Done {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;
  bool again = false;   // refused for what has changed since: asked once more it may be done
  bool absent = false;  // a move, refused because what was to be moved is not there
};
// The answer to read_table(). A switch that cannot tell where a connection leads has it with output port
// 0 and no output label.
struct Table {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::vector<CrossConnect> cross_connects;
};

// The answer to read_statistics(). Refused by the switch: as Done.
struct Statistics {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;
  bool absent = false;  // refused because nothing comes in there with that label
  CellCounters counters;
};

using Event = std::variant<Up, Ports, Down, Done, Table, Statistics>;

}  // namespace driver

class SwitchDriver {
 public:
  virtual ~SwitchDriver() = default;
  // Of one that is there: its traffic contract is this one from now on, its category as before. A
  // contract of kNone: the switch treats the cells by priority.
  virtual void add(const CrossConnect& cross_connect, const TrafficContract& contract,
                   driver::Cookie cookie) = 0;
  virtual void remove(const CrossConnect& cross_connect, driver::Cookie cookie) = 0;
  // Takes one that is there to another output in one step: the cells have the old way or the new one,
  // never none. Refused: nothing has changed.
  virtual void move(const CrossConnect& cross_connect, PortId new_output_port,
                    Label new_output_label, const TrafficContract& contract,
                    driver::Cookie cookie) = 0;
  // Reads the whole cross-connect table, port by port.
  virtual void read_table(driver::Cookie cookie) = 0;
  // What the switch has counted at the port, or (a label is given) of the connection that comes in there
  // with it.
  virtual void read_statistics(PortId port, Label label, driver::Cookie cookie) = 0;
  virtual void flush() = 0;
};

}  // namespace xbind
