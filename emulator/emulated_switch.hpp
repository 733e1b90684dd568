// An emulated switch: the fabric with its cells, its GSMP agent, and the injected faults between
// the agent and its connections.
//
//   TcpServer ── receive(), take_output() ──▶ faults ──▶ SwitchAgent ──▶ FabricTable ──▶ Fabric
//   links ── pump() ── Fabric
//   control socket ── execute() (control.hpp) ─┘
//
// Pure: the caller supplies octets, cells, time and the seed. After any call, any connection may
// have output or an ending. Not thread-safe.
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
#include "dataplane/crossbar_network.hpp"
#include "dataplane/links/link.hpp"
#include "dataplane/port_controller_profile.hpp"
#include "dataplane/propagation.hpp"
#include "emulator/faults.hpp"
#include "emulator/usage_policing.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric.hpp"
#include "switchagent/table/fabric_table.hpp"

namespace xbind::emulator {

enum class QueueingKind : std::uint8_t {
  kFifo,   // strict priorities (dataplane/fifo_queueing.hpp)
  kClass,  // service categories (dataplane/class_queueing.hpp)
};

struct EmulatedSwitchOptions {
  std::string name;
  switchagent::FabricOptions fabric;
  switchagent::AgentOptions agent;
  PolicingMode policing = PolicingMode::kOff;
  QueueingKind queueing = QueueingKind::kFifo;
  // Of the ports that have one; the others forward at once.
  std::map<PortId, dataplane::PortControllerProfile> controllers{};
  // It must have an input for each port.
  dataplane::CrossbarSize crossbar = dataplane::CrossbarSize::kNone;
  // Determines port session numbers, instance numbers, faults and the crossbar's choices.
  std::uint64_t seed = 1;
};

enum class Restart : std::uint8_t {
  kHot,   // the control software only: the table, its ports and their sessions stay
  kCold,  // everything: an empty table, new port sessions, lines up
};

class EmulatedSwitch {
 public:
  // A connection to close now: after sending its output, or with a reset that discards it.
  struct Ending {
    ConnectionKey connection;
    bool reset = false;
    std::string reason;
  };
  struct Notice {  // for the log
    bool trouble = false;
    std::string text;
  };
  // Receives the cells that enter or leave over a link.
  using Tap = std::function<void(PortId, dataplane::Direction, std::span<const dataplane::Cell>)>;

  explicit EmulatedSwitch(EmulatedSwitchOptions options);
  ~EmulatedSwitch();
  EmulatedSwitch(const EmulatedSwitch&) = delete;
  EmulatedSwitch& operator=(const EmulatedSwitch&) = delete;

  const std::string& name() const { return options_.name; }

  // ----- connections; the owner assigns keys and never reuses them -----
  // kExhausted: the connection is not accepted; close it.
  Result<void> connected(ConnectionKey connection, TimePoint now);
  void closed(ConnectionKey connection, TimePoint now);
  void receive(ConnectionKey connection, std::span<const std::byte> octets, TimePoint now);
  // How many octets may be read from the connection now; usually kUnlimited. 0 for an unknown
  // connection.
  std::size_t allowance(ConnectionKey connection) const;
  // Swaps the next octets to send, as one piece, into `into`. Empty: nothing to send now. Call
  // until empty.
  void take_output(ConnectionKey connection, wire::Buffer& into, TimePoint now);
  std::vector<Ending> take_endings();
  std::vector<Notice> take_notices();

  // Call at next_deadline() or later, if pump() is not called.
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // ----- cells -----
  // `port` must exist. The port keeps the link across restarts. Cells arrive `delay` after the link
  // has received them; 0: at once.
  void attach(PortId port, std::unique_ptr<dataplane::Link> link, Duration delay = {});
  // Moves a bounded number of cells and returns the number.
  std::size_t pump(TimePoint now);
  // When the next cell held back by its port's rate may be sent, or arrives over a line with a
  // delay; kNever: none.
  TimePoint cells_deadline() const;
  void set_tap(Tap tap) { tap_ = std::move(tap); }

  // ----- faults -----
  FaultSettings& settings() { return settings_; }
  const FaultSettings& settings() const { return settings_; }
  const FaultCounters& fault_counters() const { return fault_counters_; }
  // Acts as if an RSTACK had been injected in both directions: each adjacency restarts.
  void drop_adjacencies(TimePoint now);
  void reset_connections();
  // Closes every connection (cold: resets it).
  void restart(Restart how, TimePoint now);
  void set_line(PortId port, bool up);  // `port` must exist
  void set_card(PortId port, bool in);  // `port` in 1..ports

  // As FabricOptions::branches_max, connections_max and buffer_cells; what is there stays.
  void set_bounds(std::size_t branches_max, std::size_t buffer_cells);

  std::size_t connections() const { return lines_.size(); }
  switchagent::Fabric& fabric() { return *fabric_; }
  const switchagent::Fabric& fabric() const { return *fabric_; }
  // Of all connections since the last cold start; zeros if policing is off.
  dataplane::PolicingCounters policed() const {
    return policing_ ? policing_->total() : dataplane::PolicingCounters{};
  }
  // The same, the cells of a port and those of its crossbar's input, including the time before cold
  // starts. `port` in 1..ports.
  dataplane::PolicingCounters policed_since_start() const;
  dataplane::PortCounters cells_since_start(PortId port) const;
  // Zeros without a crossbar.
  dataplane::CrossbarCounters crossed_since_start(PortId port) const;
  // The frames of a port whose line has some (dataplane/links/frame_line.hpp); null: it has none.
  const dataplane::FrameCounters* frames_since_start(PortId port) const;
  // Cells that a line with a delay could not hold; since the start.
  std::uint64_t cells_lost_on_the_way(PortId port) const;
  switchagent::SwitchAgent& agent() { return *agent_; }
  const switchagent::SwitchAgent& agent() const { return *agent_; }

 private:
  struct Line {  // one connection
    switchagent::ControllerId controller;
    InputCutter input;
    SlowReader reader;
    AnswerPipe answers;
    bool ending = false;
  };
  // What earlier fabrics have counted.
  struct Earlier {
    std::vector<dataplane::PortCounters> cells;        // by port
    std::vector<dataplane::CrossbarCounters> crossed;  // by port
    dataplane::PolicingCounters policed;
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
  std::map<PortId, dataplane::Propagation> propagations_;  // of links with a delay
  TimePoint pumped_at_{};                                  // `now` of the last pump()
  Tap tap_;
  Earlier earlier_;
  std::unique_ptr<UsagePolicing> policing_;  // null: off; destroyed after the fabric that calls it
  std::unique_ptr<switchagent::Fabric> fabric_;
  std::unique_ptr<switchagent::FabricTable> table_;
  std::unique_ptr<switchagent::SwitchAgent> agent_;
  FaultSettings settings_;
  FaultCounters fault_counters_;
  Processor processor_;
  std::map<ConnectionKey, Line> lines_;
  std::vector<Ending> endings_;
  std::vector<Notice> notices_;
  wire::Buffer scratch_;
};

}  // namespace xbind::emulator
