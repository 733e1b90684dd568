// What stands between the table and an output line: takes cells or refuses them, and decides which one
// goes next. The seam for schedulers and discard policies: a queue for each connection, fair shares,
// whole frames. FifoQueueing (fifo_queueing.hpp) is the plain one, ClassQueueing
// (class_queueing.hpp) has a queue for each service category.
//
// Bounded: each implementation says by what. Owned by one port of a SwitchFabric and called on its
// thread only; no clock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/service_class.hpp"

namespace xbind::dataplane {

// A cell on its way out: its header is the one it is to leave with.
struct Arrival {
  std::uint32_t header;
  const Payload& payload;                     // valid during the call
  ConnectionRef from;                         // may have gone from the table when the cell leaves
  std::uint8_t priority;                      // the branch's; 0 is the best
  ServiceClass service = ServiceClass::kUbr;  // the branch's
};

class Queueing {
 public:
  virtual ~Queueing() = default;

  // Whether it was taken; what is refused is lost, and counted by the fabric.
  virtual bool enqueue(const Arrival& arrival, TimePoint now) = 0;
  // Fills both from the front, at most as many as `cells` holds; `from` is as long. Returns how many.
  virtual std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from,
                              TimePoint now) = 0;
  virtual std::size_t size() const = 0;  // cells waiting
  // The line is down: nothing of what waits will be sent. Returns how many cells that were.
  virtual std::size_t drop_all() = 0;
};

}  // namespace xbind::dataplane
