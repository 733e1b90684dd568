// The queue between the table and an output line: accepts or refuses cells, and selects the next
// one to send. The interface for schedulers and discard policies, such as per-connection queues,
// fair sharing or frame discard. FifoQueueing (fifo_queueing.hpp) is the simple one; ClassQueueing
// (class_queueing.hpp) has a queue for each service category.
//
// Bounded by the port's buffer, which all queues of an implementation share (port_buffer.hpp).
// Owned by one port of a SwitchFabric and called only on its thread; no clock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/service_class.hpp"

namespace xbind::dataplane {

// A cell to be sent, with its output header.
struct Arrival {
  std::uint32_t header;
  const Payload& payload;                     // valid during the call
  ConnectionRef from;                         // may have left the table when the cell is sent
  std::uint8_t priority;                      // the branch's; 0 is the best
  ServiceClass service = ServiceClass::kUbr;  // the branch's
};

class Queueing {
 public:
  virtual ~Queueing() = default;

  // Returns the connection that lost a cell, for the fabric to count: the cell's own, which is then
  // refused; or that of a waiting cell, whose place the new one has taken. nullopt: no cell is
  // lost.
  virtual std::optional<ConnectionRef> enqueue(const Arrival& arrival, TimePoint now) = 0;
  // Fills both spans from the front, at most as many as `cells` holds; `from` must have the same
  // length. Returns the number of cells.
  virtual std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from,
                              TimePoint now) = 0;
  virtual std::size_t size() const = 0;  // cells waiting
  // Whether a frame that begins now is likely to find room to its end (frame_discard.hpp).
  virtual bool room_for_frame() const = 0;
  // Drops all waiting cells and passes the connection of each to `lost`, for the fabric to count.
  virtual void drop_all(const std::function<void(ConnectionRef)>& lost) = 0;
  // Bounds the cells of all queues from now on, 1 or more; waiting cells stay.
  virtual void set_buffer(std::size_t cells_max) = 0;
};

}  // namespace xbind::dataplane
