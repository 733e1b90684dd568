// The cell forwarding of an ATM switch: ports, each with a line and an output queue, and the table
// between them.
//
//   link ──receive──▶ port ──▶ label known? ──▶ Policing ──▶ new label, one ──▶ Queueing of each
//                               │ no           (or none)     copy a branch      output port
//                               ▼                                                    │ at the
//                          on_unknown_label                                          ▼ port's rate
//                                                         link ◀──send── port ◀──transmit
//
// With a crossbar (crossbar.hpp) the cells wait at their input before they are copied to the
// branches, and pump() takes them on. Answers to OAM loopback cells do not pass it.
//
// receive() and transmit() are the two halves, for owners that move cells themselves; pump() does
// both for every port with a link. A controller fills table(), for example GSMP or a test.
//
// One thread at a time, for everything. pump() moves a bounded number of cells and returns, so that
// the same thread can serve a controller in between; its changes apply from the next cell on. No
// clock of its own.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/counters.hpp"
#include "dataplane/crossbar.hpp"
#include "dataplane/fifo_queueing.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/links/link.hpp"
#include "dataplane/loopback_node.hpp"
#include "dataplane/pacer.hpp"
#include "dataplane/policing.hpp"
#include "dataplane/port_controller.hpp"
#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

// Loopback as in GSMP's Port Management (RFC 3292 section 6.1). pump() performs it; a port without
// a link has no line to loop back to.
enum class Loopback : std::uint8_t {
  kNone,
  kInternal,  // cells that leave the port enter again at the same port
  kExternal,  // cells from the line return to it unchanged, past the switch
  kBothway,
};

struct FabricCallbacks {
  // Called for every cell with a label of no connection, so a receiver that generates events must
  // limit their rate. Must not change the fabric. May be empty.
  std::function<void(PortId, std::uint16_t vpi, std::uint16_t vci, TimePoint)> on_unknown_label;
  // Called with the cells that enter at a port, with the line's labels, and with those that leave:
  // for captures. Idle cells and cells at a line that is down are not included. Valid during the
  // call. May be empty.
  std::function<void(PortId, Direction, std::span<const Cell>, TimePoint)> on_cells;
};

class SwitchFabric {
 public:
  // Each port gets a FifoQueueing with `queues`, no link and no rate; its line is up.
  SwitchFabric(const ForwardingOptions& forwarding, const FifoOptions& queues,
               FabricCallbacks callbacks = {});

  ForwardingTable& table() { return table_; }
  const ForwardingTable& table() const { return table_; }

  // ----- ports; each `port` must exist -----
  // Replaces the port's link; its error counts remain. Null: the port has no link.
  void attach(PortId port, std::unique_ptr<Link> link);
  // Replaces the port's queue; cells in the old one are dropped and counted.
  void set_queueing(PortId port, std::unique_ptr<Queueing> queueing);
  // Bounds the cells that wait at every port from now on, 1 or more; waiting cells stay.
  void set_buffer(std::size_t cells_max);
  // Sets the policing of each user data cell with a known label; null: none. It must outlive the
  // fabric or its use here.
  void set_policing(Policing* policing) { policing_ = policing; }
  const Policing* policing() const { return policing_; }
  // From now on cells cross the switch by a new crossbar, which must have an input for each port.
  // Its chance is `random`. Call before the first cell.
  void set_crossbar(CrossbarSize size, CrossbarNetwork::Random random);
  // Null: none.
  const Crossbar* crossbar() const { return crossbar_.get(); }
  // From now on the switch answers OAM loopback cells for this name, and returns answers to others.
  // Before, they travel as any cell.
  void set_node_name(std::string_view name) { loopback_ = std::make_unique<LoopbackNode>(name); }
  // Cells/s at which the port sends; 0: as fast as the link takes them.
  void set_rate(PortId port, std::uint32_t cells_per_s) { at(port).pacer = Pacer(cells_per_s); }
  // Down: cells received and cells waiting to be sent are dropped and counted. Connections stay.
  void set_line(PortId port, bool up);
  bool line_up(PortId port) const { return at(port).up; }
  // Puts a port controller before the port: cells received from now on are forwarded when it has
  // forwarded them. Null: none. Cells that wait at the old one are dropped and counted.
  void set_controller(PortId port, std::unique_ptr<PortController> controller);
  const PortController* controller(PortId port) const { return at(port).controller.get(); }
  void set_loopback(PortId port, Loopback loopback) { at(port).loopback = loopback; }

  // ----- cells; each `port` must exist -----
  // Processes cells received at `port`: at once, or when pump() finds that the port's controller
  // has forwarded them.
  void receive(PortId port, std::span<const Cell> cells, TimePoint now);
  // Takes cells out of the port's queue, at most as many as `cells` holds and its rate allows at
  // `now`. They count as sent. Returns their number.
  std::size_t transmit(PortId port, std::span<Cell> cells, TimePoint now);
  // For each port with a link, or a loopback: receives at most kBatch cells and sends at most
  // kBatch. Performs the crossbar's slots that are due by `now`, at most kSlotsAtOnce. Returns the
  // number of cells moved; 0: nothing to do until next_deadline() or until a link has cells.
  std::size_t pump(TimePoint now);
  // When a port with queued cells may send one by its rate, a port controller forwards one, a cell
  // may cross the crossbar, or a link has something to do; kNever: none of these. Includes ports
  // without a link: their owner calls transmit(), and pump() would do nothing for them.
  TimePoint next_deadline() const;

  // ----- counters -----
  PortCounters counters(PortId port) const;
  // Counters of the port's link; zero without one.
  LinkCounters line_counters(PortId port) const {
    return at(port).link ? at(port).link->counters() : LinkCounters{};
  }
  // The highest VPI of a cell that enters or leaves there.
  std::uint32_t vpi_max(PortId port) const {
    return at(port).link ? at(port).link->vpi_max() : kVpiMax;
  }
  // nullopt: no such connection.
  std::optional<ConnectionCounters> counters(const VirtualLink& input) const;
  // Idle and unassigned cells, dropped without inspection.
  std::uint64_t idle_cells(PortId port) const { return at(port).idle_cells; }
  // Zeros without a name.
  LoopbackCounters loopback_counters() const {
    return loopback_ ? loopback_->counters : LoopbackCounters{};
  }
  std::size_t queued(PortId port) const { return at(port).queueing->size(); }
  // The most cells that have waited at the port.
  std::size_t queued_most(PortId port) const {
    return std::max(at(port).queued_most, at(port).queueing->size());
  }

  static constexpr std::size_t kBatch = 64;

 private:
  struct Port {
    std::unique_ptr<Queueing> queueing;
    std::unique_ptr<Link> link;
    std::unique_ptr<PortController> controller;  // null: none
    PortCounters counters;                       // with those of links no longer attached
    LinkCounters line_before;                    // counters of the link when it was attached
    std::uint64_t idle_cells = 0;
    std::size_t queued_most = 0;  // when cells last left the queue
    Pacer pacer;
    Loopback loopback = Loopback::kNone;
    bool up = true;
    std::vector<Cell> unsent;  // cells that the link did not accept, at most kBatch

    // Adds what the link has counted since it was attached.
    void add_line(PortCounters& to) const;
    // Drops the cells that wait to leave, and counts them.
    void drop_queue(ForwardingTable& table);
    // Counts a cell that is lost here as an output, also at its connection if it still exists.
    void count_discard(ForwardingTable& table, ConnectionRef from);
  };

  Port& at(PortId port) { return ports_[port.value() - 1]; }
  const Port& at(PortId port) const { return ports_[port.value() - 1]; }
  // Processes cells at once.
  void accept(PortId id, std::span<const Cell> cells, TimePoint now);
  // Offers a cell to the queue of an output port and counts the cell that is lost, if any. Whether
  // the cell itself waits there now, or one of its own connection has given way to it.
  bool offer(Port& port, const Arrival& arrival, TimePoint now);
  // Offers a copy of a cell to the queue of each of `branches`, which are of the connection.
  // `header`: the cell's, possibly tagged.
  void replicate(Connection& connection, std::span<Branch> branches, std::uint32_t header,
                 const Payload& payload, TimePoint now);
  // ----- OAM loopback (switch_fabric_oam.cpp) -----
  // False: the cell is to be treated as any other. Otherwise it was answered or passed on.
  bool take_oam(PortId id, const Cell& cell, TimePoint now);
  // Sends an answer to where its request came in.
  void return_answer(PortId id, const Cell& cell, std::uint64_t session, std::uint32_t tag,
                     TimePoint now);
  // Sends a cell out of an input port, against the direction of its connection and in the queue of
  // its first branch. Null: no connection, the last queue.
  void send_back(PortId id, std::uint32_t header, const Payload& payload,
                 const Connection* connection, TimePoint now);
  std::size_t pump_in(PortId id, Port& port, TimePoint now);
  std::size_t pump_out(PortId id, Port& port, TimePoint now);
  // Returns the number of cells that the link accepted; the rest is in `unsent`.
  std::size_t send(Port& port, std::span<const Cell> cells);

  ForwardingTable table_;
  std::vector<Port> ports_;
  Policing* policing_ = nullptr;
  std::unique_ptr<LoopbackNode> loopback_;  // null: without a name
  std::unique_ptr<Crossbar> crossbar_;      // null: without one
  FabricCallbacks callbacks_;
};

}  // namespace xbind::dataplane
