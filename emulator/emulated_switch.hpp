// An emulated switch as its connections and its lines see it: the fabric with its cells, the agent that
// speaks GSMP for it, and between the agent and its connections the faults that a test asks for.
//
//   TcpServer ── receive(), take_output() ──▶ faults ──▶ SwitchAgent ──▶ FabricTable ──▶ Fabric ── pump() ── links
//   control socket ── execute() (control.hpp) ─┘
//
// Pure: octets, cells, time and the seed are handed in. After any call there may be output on any
// connection, and endings. Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/links/link.hpp"
#include "emulator/fabric.hpp"
#include "emulator/fabric_table.hpp"
#include "emulator/faults.hpp"
#include "emulator/switch_agent.hpp"
#include "emulator/usage_policing.hpp"

namespace xbind::emulator {

enum class QueueingKind : std::uint8_t {
  kFifo,   // strict priorities (dataplane/fifo_queueing.hpp)
  kClass,  // service categories (dataplane/class_queueing.hpp)
};

struct EmulatedSwitchOptions {
  std::string name;
  FabricOptions fabric;
  AgentOptions agent;
  PolicingMode policing = PolicingMode::kOff;
  QueueingKind queueing = QueueingKind::kFifo;
  // Port session numbers, instance numbers and faults: the same seed gives the same of each.
  std::uint64_t seed = 1;
};

enum class Restart : std::uint8_t {
  kHot,   // the control software alone: the table, its ports and their sessions stay
  kCold,  // everything: an empty table, new port sessions, lines up
};

class EmulatedSwitch {
 public:
  // A connection that is to be closed now, once its output is sent; or reset, whatever waits.
  struct Ending {
    ConnectionKey connection;
    bool reset = false;
    std::string reason;
  };
  struct Notice {  // for the log
    bool trouble = false;
    std::string text;
  };
  // Cells that come in over a link, or go out.
  using Tap = std::function<void(PortId, dataplane::Direction, std::span<const dataplane::Cell>)>;

  explicit EmulatedSwitch(EmulatedSwitchOptions options);
  ~EmulatedSwitch();
  EmulatedSwitch(const EmulatedSwitch&) = delete;
  EmulatedSwitch& operator=(const EmulatedSwitch&) = delete;

  const std::string& name() const { return options_.name; }

  // ----- connections; keys are the owner's, and never used again -----
  // kExhausted: close it, it is not known here.
  Result<void> connected(ConnectionKey connection, TimePoint now);
  void closed(ConnectionKey connection, TimePoint now);
  void receive(ConnectionKey connection, std::span<const std::byte> octets, TimePoint now);
  // How many octets may be read from it now; kUnlimited is usual. What is unknown: 0.
  std::size_t allowance(ConnectionKey connection) const;
  // What is to be sent to it in one piece, swapped in; empty: nothing now. Ask until it is.
  void take_output(ConnectionKey connection, wire::Buffer& into, TimePoint now);
  std::vector<Ending> take_endings();
  std::vector<Notice> take_notices();

  // At next_deadline() or later, when cells are not asked for.
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // ----- cells -----
  // `port` exists. The link stays with the port over restarts.
  void attach(PortId port, std::unique_ptr<dataplane::Link> link);
  // A bounded number of cells; returns how many were moved.
  std::size_t pump(TimePoint now);
  // When a cell that waits for the rate of its port may go; kNever: none waits.
  TimePoint cells_deadline() const;
  void set_tap(Tap tap) { tap_ = std::move(tap); }

  // ----- faults -----
  FaultSettings& settings() { return settings_; }
  const FaultSettings& settings() const { return settings_; }
  const FaultCounters& fault_counters() const { return fault_counters_; }
  // As if somebody on the wire had sent RSTACK both ways: each adjacency begins anew.
  void drop_adjacencies(TimePoint now);
  void reset_connections();
  // Every connection is closed (cold: reset).
  void restart(Restart how, TimePoint now);
  void set_line(PortId port, bool up);  // `port` exists
  void set_card(PortId port, bool in);  // of 1..ports

  std::size_t connections() const { return lines_.size(); }
  Fabric& fabric() { return *fabric_; }
  const Fabric& fabric() const { return *fabric_; }
  // Of all connections since the last cold start; nought when policing is off.
  dataplane::PolicingCounters policed() const {
    return policing_ ? policing_->total() : dataplane::PolicingCounters{};
  }
  SwitchAgent& agent() { return *agent_; }
  const SwitchAgent& agent() const { return *agent_; }

 private:
  struct Line {  // one connection
    ControllerId controller;
    InputCutter input;
    SlowReader reader;
    AnswerPipe answers;
    bool ending = false;
  };
  class BorrowedLink;

  void build_fabric();
  void build_agent(bool recovered);
  void lend_link(PortId port);
  void on_frame(ConnectionKey connection, Line& line, std::span<const std::byte> frame,
                TimePoint now);
  void run_processor(TimePoint now);
  void collect(Line& line, TimePoint now);
  void end(ConnectionKey connection, bool reset, std::string reason);

  EmulatedSwitchOptions options_;
  std::mt19937_64 random_bits_;
  std::function<std::uint32_t()> random_;
  std::map<PortId, std::unique_ptr<dataplane::Link>> links_;
  Tap tap_;
  std::unique_ptr<UsagePolicing> policing_;  // null: off; goes after the fabric that calls it
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<FabricTable> table_;
  std::unique_ptr<SwitchAgent> agent_;
  FaultSettings settings_;
  FaultCounters fault_counters_;
  Processor processor_;
  std::map<ConnectionKey, Line> lines_;
  std::vector<Ending> endings_;
  std::vector<Notice> notices_;
  wire::Buffer scratch_;
};

}  // namespace xbind::emulator
