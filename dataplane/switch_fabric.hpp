// An ATM switch as far as cells go: ports, each with a line and an output queue, and the table between
// them.
//
//   link ──receive──▶ port ──▶ label known? ──▶ Policing ──▶ new label, one ──▶ Queueing of each
//                               │ no           (or none)     copy a branch      output port
//                               ▼                                                    │ at the
//                          on_unknown_label                                          ▼ port's rate
//                                                         link ◀──send── port ◀──transmit
//
// receive() and transmit() are the two halves, for whoever moves the cells himself; pump() does it for
// every port that has a link. A controller fills table(): GSMP is one, a test another.
//
// One thread at a time, for everything. pump() moves a bounded number of cells and returns, so that
// the same thread can answer a controller in between; what is changed then holds from the next cell
// on. No clock of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/counters.hpp"
#include "dataplane/fifo_queueing.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/links/link.hpp"
#include "dataplane/pacer.hpp"
#include "dataplane/policing.hpp"
#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

// As GSMP's Port Management has them (RFC 3292 section 6.1). pump() does them; a port without a link
// has nothing to return to.
enum class Loopback : std::uint8_t {
  kNone,
  kInternal,  // what leaves the port comes in again at the same port
  kExternal,  // what comes from the line goes back to it, its labels unseen, the switch without it
  kBothway,
};

struct FabricCallbacks {
  // A cell on a label that no connection has; once for every such cell, so whoever makes events of them
  // limits their rate. Must not change the fabric. May be empty.
  std::function<void(PortId, std::uint16_t vpi, std::uint16_t vci, TimePoint)> on_unknown_label;
  // What has come in at a port, with the labels of the line, and what goes out there: for captures.
  // Idle cells and what meets a line that is down are not shown. Valid during the call. May be empty.
  std::function<void(PortId, Direction, std::span<const Cell>, TimePoint)> on_cells;
};

class SwitchFabric {
 public:
  // Each port gets a FifoQueueing of `queues`, no link, no rate, and its line is up.
  SwitchFabric(const ForwardingOptions& forwarding, const FifoOptions& queues,
               FabricCallbacks callbacks = {});

  ForwardingTable& table() { return table_; }
  const ForwardingTable& table() const { return table_; }

  // ----- ports; each `port` exists -----
  // Takes the place of the port's link, its errors stay counted. Null: the port has none.
  void attach(PortId port, std::unique_ptr<Link> link);
  // Takes the place of the port's queue; what waited in the old one is dropped and counted.
  void set_queueing(PortId port, std::unique_ptr<Queueing> queueing);
  // Sees each cell of user data on a known label from now on; null: none. Outlives the fabric, or its
  // place here.
  void set_policing(Policing* policing) { policing_ = policing; }
  const Policing* policing() const { return policing_; }
  // Cells/s at which the port sends; 0: as fast as the link takes them.
  void set_rate(PortId port, std::uint32_t cells_per_s) { at(port).pacer = Pacer(cells_per_s); }
  // Down: what comes in and what waits to go out is dropped and counted. Connections stay.
  void set_line(PortId port, bool up);
  bool line_up(PortId port) const { return at(port).up; }
  void set_loopback(PortId port, Loopback loopback) { at(port).loopback = loopback; }

  // ----- cells; each `port` exists -----
  // Cells come in at `port`.
  void receive(PortId port, std::span<const Cell> cells, TimePoint now);
  // Takes cells out of the port's queue, at most as many as `cells` holds and its rate allows at `now`.
  // They count as sent. Returns how many.
  std::size_t transmit(PortId port, std::span<Cell> cells, TimePoint now);
  // For each port with a link, or looped: at most kBatch cells in, at most kBatch out. Returns how many
  // were moved; 0: nothing is there to be done until next_deadline() or until a link has cells.
  std::size_t pump(TimePoint now);
  // When a port that has cells may send one, by its rate; kNever: no queue holds any. Ports without a link
  // count too: their owner transmit()s, pump() would be called for nothing.
  TimePoint next_deadline() const;

  // ----- counters -----
  PortCounters counters(PortId port) const;
  // Of the port's link; nought without one.
  LinkCounters line_counters(PortId port) const {
    return at(port).link ? at(port).link->counters() : LinkCounters{};
  }
  // The highest VPI of a cell that leaves or enters there.
  std::uint32_t vpi_max(PortId port) const {
    return at(port).link ? at(port).link->vpi_max() : kVpiMax;
  }
  // Nothing: no such connection.
  std::optional<ConnectionCounters> counters(const VirtualLink& input) const;
  std::uint64_t idle_cells(PortId port) const { return at(port).idle_cells; }  // dropped unseen
  std::size_t queued(PortId port) const { return at(port).queueing->size(); }

  static constexpr std::size_t kBatch = 64;

 private:
  struct Port {
    std::unique_ptr<Queueing> queueing;
    std::unique_ptr<Link> link;
    PortCounters counters;  // hec_errors: of links that are no longer attached
    std::uint64_t idle_cells = 0;
    Pacer pacer;
    Loopback loopback = Loopback::kNone;
    bool up = true;
    std::vector<Cell> unsent;  // what the link had no room for, at most kBatch
  };

  Port& at(PortId port) { return ports_[port.value() - 1]; }
  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  // `header`: the cell's, perhaps tagged.
  void replicate(Connection& connection, std::uint32_t header, const Payload& payload,
                 TimePoint now);
  std::size_t pump_in(PortId id, Port& port, TimePoint now);
  std::size_t pump_out(PortId id, Port& port, TimePoint now);
  // Returns how many the link took; the rest is in `unsent`.
  std::size_t send(Port& port, std::span<const Cell> cells);

  ForwardingTable table_;
  std::vector<Port> ports_;
  Policing* policing_ = nullptr;
  FabricCallbacks callbacks_;
};

}  // namespace xbind::dataplane
