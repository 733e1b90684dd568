// First in, first out, within strict priorities: a cell is sent when no cell of a better priority
// waits. Each priority has its own queue; all share the port's buffer (port_buffer.hpp).
#pragma once

#include <cstdint>

#include "core/port_buffer.hpp"
#include "dataplane/port_buffer.hpp"
#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

struct FifoOptions {
  std::size_t cells_max = kPortBufferCells;                  // of all priorities; 1 or more
  std::optional<std::size_t> clp1_cells_max = std::nullopt;  // as PortBuffer's
  std::uint16_t priorities = 1;  // 1..256; a branch with a worse priority uses the last
};

class FifoQueueing final : public Queueing {
 public:
  explicit FifoQueueing(const FifoOptions& options);

  std::optional<ConnectionRef> enqueue(const Arrival& arrival, TimePoint now) override;
  std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint now) override;
  std::size_t size() const override { return buffer_.size(); }
  bool room_for_frame() const override { return buffer_.room_for_frame(); }
  void drop_all(const std::function<void(ConnectionRef)>& lost) override { buffer_.drop_all(lost); }
  void set_buffer(std::size_t cells_max) override { buffer_.set_cells_max(cells_max); }

 private:
  PortBuffer buffer_;  // a queue for each priority, the best first
};

}  // namespace xbind::dataplane
