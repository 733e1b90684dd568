// First in, first out, within strict priorities: a cell is sent when no cell of a better priority
// waits. Each priority has its own queue, drops at the tail, and accepts cells with CLP 1 only
// while fewer than clp1_cells_max wait in it (partial buffer sharing).
//
// Memory: cells_max x 60 octets for each priority ever used, allocated at its first cell.
#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

struct FifoOptions {
  std::size_t cells_max = 1024;      // of each priority; 1 or more
  std::size_t clp1_cells_max = 768;  // at or above cells_max: CLP makes no difference
  std::uint8_t priorities = 1;       // 1..255; a branch with a worse priority uses the last
};

class FifoQueueing final : public Queueing {
 public:
  explicit FifoQueueing(const FifoOptions& options);

  bool enqueue(const Arrival& arrival, TimePoint now) override;
  std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint now) override;
  std::size_t size() const override { return size_; }
  std::size_t drop_all() override;

 private:
  struct Queue {
    std::vector<Cell> cells;  // ring buffers
    std::vector<ConnectionRef> from;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  FifoOptions options_;
  std::vector<Queue> queues_;  // the best first
  std::size_t size_ = 0;
};

}  // namespace xbind::dataplane
