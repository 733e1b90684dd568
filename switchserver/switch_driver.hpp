// What any switch must be able to do for a SwitchServer. gsmp_driver.hpp speaks GSMP; tests have one
// that answers from memory.
//
// Requests are pipelined: add() and remove() only queue, flush() sends everything queued in as few
// messages and as few writes as the protocol allows. Every request is answered by exactly one
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

namespace xbind {

struct SwitchPort {
  PortId port;
  LabelRange labels;  // labels the port accepts on incoming cells (RFC 3292 section 8.2)
  std::uint64_t cells_per_s = 0;  // transmit rate of the line
  bool up = true;

  friend bool operator==(const SwitchPort&, const SwitchPort&) = default;
};

namespace driver {

using Cookie = std::uint64_t;

// The switch is there and its ports are known. `kept` is what the adjacency agreed (PFlag): true, the
// switch still has its connections; false, it started empty.
struct Up {
  std::vector<SwitchPort> ports;
  bool kept = true;
};
// The adjacency is lost. Every request still open has been answered before with kSwitchUnreachable.
struct Down {
  std::string reason;
};
// The answer to add() or remove(). `failure_code` is GSMP's (v3 numbering) when cause is
// kSwitchRefused. A removal of something that is not there counts as done.
struct Done {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::uint8_t failure_code = 0;
};
// The answer to read_table().
struct Table {
  Cookie cookie = 0;
  Cause cause = Cause::kNone;
  std::vector<CrossConnect> cross_connects;
};

using Event = std::variant<Up, Down, Done, Table>;

}  // namespace driver

class SwitchDriver {
 public:
  virtual ~SwitchDriver() = default;
  virtual void add(const CrossConnect& cross_connect, driver::Cookie cookie) = 0;
  virtual void remove(const CrossConnect& cross_connect, driver::Cookie cookie) = 0;
  // Reads the whole cross-connect table, port by port.
  virtual void read_table(driver::Cookie cookie) = 0;
  virtual void flush() = 0;
};

}  // namespace xbind
