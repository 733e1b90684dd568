// An input-buffered crossbar: cells wait at the input where they came, first in, first out, until
// the network takes them in one of its slots.
//
//   put() ──▶ queue of the input ──▶ first cell, one of its copies ──▶ CrossbarNetwork ──▶ passed
//               ▲ full: the cell is lost         ▲                           │
//                                                └── refused (NACK): again in the next slot
//
// In a slot each input offers one cell and each output takes at most one. While the first cell of a
// queue is refused, all cells behind it wait, also those for idle outputs: with uniform traffic a
// 4x4 carries 0.655 of its capacity. The priority bit of a cell is that its branch is real time
// (CBR or rt-VBR); it decides between first cells, and overtakes nothing in a queue.
//
// Slots follow each other every kSlot while cells wait, beginning with the first cell. A late
// caller makes up for the slots it has missed, at most for those of the timer "catch-up".
//
// Branches are those of the connection when the cell is first in its queue. A cell of a tree goes
// to one branch after the other, in as many slots at least; a branch that is deleted meanwhile gets
// no copy, one that is moved gets it in its new place. A cell whose connection has ended is lost:
// its label may belong to another connection by then.
//
// Of a connection whose first branch has packet discard, a full queue loses whole frames
// (frame_discard.hpp).
//
// Memory: 60 octets for each waiting cell, allocated in blocks as they come; 16 for each slot of
// the table up to the last connection that has lost a cell here or has packet discard.
//
// Source of the figures: the laboratory's notes on Fairisle (bluebook 23 to 29): 2048 cell buffers
// of a port controller, a frame pulse every 64 clocks of 20 MHz. The delay of the network, 8 clocks
// of a 16x16, is left out. Pure; the caller passes time and chance. Not thread-safe.
#pragma once

#include <boost/container/deque.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/cells/timers.hpp"
#include "dataplane/crossbar_network.hpp"
#include "dataplane/forwarding_table.hpp"

namespace xbind::dataplane {

// Of one input, free-running. `passed` and `nacks` together are the copies that were offered to the
// network.
struct CrossbarCounters {
  std::uint64_t cells = 0;   // that came for the queue
  std::uint64_t lost = 0;    // of these: the queue was full, or they left it without passing
  std::uint64_t passed = 0;  // copies that reached their output; one of each cell without a tree
  std::uint64_t nacks = 0;   // times that a copy was refused

  friend bool operator==(const CrossbarCounters&, const CrossbarCounters&) = default;
};

class Crossbar {
 public:
  static constexpr std::size_t kInputCellsMax = 2048;  // that wait at one input
  static constexpr Duration kSlot = kDataplaneTimers["crossbar-slot"];
  static constexpr std::size_t kSlotsAtOnce = 64;  // in one run()

  // Called during run(); neither may change the table or the crossbar.
  struct Outcomes {
    // A copy has reached the output of `branch`. `header` is the one that put() got.
    std::function<void(Connection&, Branch&, std::uint32_t header, const Payload&)> passed;
    // A cell that waited at this port is lost: its connection has ended.
    std::function<void(PortId)> lost;
  };

  Crossbar(CrossbarSize size, CrossbarNetwork::Random random)
      : network_(size, std::move(random)), inputs_(ports_of(size)) {}

  CrossbarSize size() const { return network_.size(); }

  // Each port, also those of the branches, must be in 1..ports_of(size()): port n is input and
  // output n - 1.
  // False: the cell is lost, because the queue is full or the rest of its frame is discarded.
  bool put(PortId port, const Connection& connection, std::uint32_t header, const Payload& payload,
           TimePoint now);
  // Performs the slots that are due by `now`, at most kSlotsAtOnce. `table` has the connections of
  // the waiting cells that have not ended. Returns the number of cells passed and lost.
  std::size_t run(ForwardingTable& table, TimePoint now, const Outcomes& outcomes);
  // Loses all cells that wait at the port, and returns their number.
  std::size_t drop(PortId port, ForwardingTable& table);
  // When run() has something to do; kNever: no cell waits.
  TimePoint next_slot() const { return waiting_ == 0 ? kNever : next_slot_; }

  std::size_t waiting(PortId port) const { return at(port).queue.size(); }
  const CrossbarCounters& counters(PortId port) const { return at(port).counters; }
  // Cells of the connection that were lost here while it existed.
  std::uint64_t lost_of(ConnectionRef connection) const;

 private:
  struct Waiting {
    Cell cell;
    ConnectionRef from;
  };
  using Queue =
      boost::container::deque<Waiting, void,
                              boost::container::deque_options_t<boost::container::block_size<64U>>>;
  struct Place {
    PortId port;
    std::uint16_t vpi;
    std::uint16_t vci;

    bool is_of(const Branch& branch) const {
      return branch.port == port && branch.vpi == vpi && branch.vci == vci;
    }
  };
  struct Input {
    Queue queue;
    // Of the first cell, if it belongs to a tree and has been offered: the branches that its
    // connection had then, and which of them is next.
    std::vector<Place> copies;
    std::size_t copy = 0;
    CrossbarCounters counters;
  };
  struct Offered {
    Connection* connection = nullptr;
    Branch* branch = nullptr;  // null: the input has no cell
  };
  struct OfConnection {
    std::uint32_t generation = 0;
    FrameDiscard frames{true};
    std::uint64_t lost = 0;
  };

  Input& at(PortId port) { return inputs_[port.value() - 1]; }
  const Input& at(PortId port) const { return inputs_[port.value() - 1]; }
  OfConnection& of(ConnectionRef connection);
  // Counts a cell of an existing connection.
  void count_lost(Input& input, ConnectionRef from);
  // Takes the first cell out.
  void leave(Input& input);
  // What the input offers in this slot. Loses cells whose connection has ended.
  Offered offer(Input& input, PortId port, ForwardingTable& table, const Outcomes& outcomes,
                std::size_t& lost);
  // The branch for the next copy of the first cell; null: no branch is left.
  static Branch* next_copy(Input& input, BranchList& branches);
  std::size_t slot(ForwardingTable& table, const Outcomes& outcomes);

  CrossbarNetwork network_;
  std::vector<Input> inputs_;
  std::vector<OfConnection> of_connections_;  // by the slot of a ConnectionRef
  std::size_t waiting_ = 0;                   // cells at all inputs
  TimePoint next_slot_{};
};

}  // namespace xbind::dataplane
