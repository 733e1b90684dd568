// The buffer of an output port: a bound that all its queues share, as a SwitchServer's account of
// the port's buffer is one for all its connections (--buffer-cells).
//
// Whatever the order in which queues are served, as long as the line is never idle while a cell
// waits, the waiting cells of connections that keep their contracts are no more than the buffers
// that admission has charged (docs/qos.md). Separate bounds for each queue would not have this
// property. Cells to which nothing was promised, such as those of UBR, must not fill the buffer for
// the others: when it is full, an arriving cell pushes out the last cell of the worst queue, if
// that queue is worse than its own.
//
// Memory: 60 octets for each waiting cell, allocated in blocks when cells come and freed when they
// have left. Not thread-safe.
#pragma once

#include <boost/container/deque.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

class PortBuffer {
 public:
  // `queues`: numbered from 0, the best. Cells with CLP 1 are refused while `clp1_cells_max` or
  // more cells wait in their queue and better ones; nullopt: three quarters of `cells_max`. Each
  // number is 1 or more.
  PortBuffer(std::size_t queues, std::size_t cells_max,
             std::optional<std::size_t> clp1_cells_max = std::nullopt);

  // As Queueing::enqueue().
  std::optional<ConnectionRef> put(std::size_t queue, const Arrival& arrival);
  // Moves the first cells of a queue to the front of both spans, at most as many as `cells` holds.
  // Returns their number.
  std::size_t take(std::size_t queue, std::span<Cell> cells, std::span<ConnectionRef> from);

  std::size_t queues() const { return queues_.size(); }
  std::size_t size() const { return size_; }
  // As Queueing::room_for_frame(): the last quarter is for frames that have begun.
  bool room_for_frame() const { return size_ < cells_max_ - cells_max_ / 4; }
  std::size_t size(std::size_t queue) const { return queues_[queue].size(); }
  // As Queueing::drop_all().
  void drop_all(const std::function<void(ConnectionRef)>& lost);
  // Waiting cells stay. With a smaller bound an arriving cell is accepted only in the place of one
  // of a worse queue, until enough have left.
  void set_cells_max(std::size_t cells_max,
                     std::optional<std::size_t> clp1_cells_max = std::nullopt);

 private:
  struct Waiting {
    Cell cell;
    ConnectionRef from;
  };
  static constexpr std::size_t kBlockCells = 64;
  using Queue = boost::container::deque<
      Waiting, void, boost::container::deque_options_t<boost::container::block_size<kBlockCells>>>;

  // Whether a cell with CLP 1 finds too many cells of its queue and better ones.
  bool too_full_for_clp(std::size_t queue) const;
  // The worst queue with cells that is worse than `queue`; null: none.
  Queue* worse_than(std::size_t queue);

  std::vector<Queue> queues_;
  std::size_t cells_max_;
  std::size_t clp1_cells_max_;
  std::size_t size_ = 0;
};

}  // namespace xbind::dataplane
