// One queue per service category. CBR has strict priority, then rt-VBR. The other three share the
// rest by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995). All cells have the same
// length, so a class's quantum is its weight in cells and no deficit remains: in each round every
// class with cells sends its weight.
//
//   CBR ─────────────────┐ strict
//   rt-VBR ──────────────┤
//   nrt-VBR ──┐          ├──▶ line
//   ABR, GFR ─┤ weights ─┘
//   UBR ──────┘
//
// All classes share the port's buffer; the order of ServiceClass says which pushes out which
// (port_buffer.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "core/port_buffer.hpp"
#include "dataplane/port_buffer.hpp"
#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

struct ClassQueueingOptions {
  std::size_t cells_max = kPortBufferCells;  // of all classes; 1 or more
  // Indexed by ServiceClass, 1 or more; unused for CBR and rt-VBR. nrt-VBR, which has a rate in its
  // contract, gets twice the weight of ABR and GFR, which get twice that of UBR.
  std::array<std::uint32_t, kServiceClasses> weights{1, 1, 4, 2, 1};
};

class ClassQueueing final : public Queueing {
 public:
  explicit ClassQueueing(const ClassQueueingOptions& options);

  std::optional<ConnectionRef> enqueue(const Arrival& arrival, TimePoint now) override;
  std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint now) override;
  std::size_t size() const override { return buffer_.size(); }
  bool room_for_frame() const override { return buffer_.room_for_frame(); }
  void drop_all(const std::function<void(ConnectionRef)>& lost) override { buffer_.drop_all(lost); }
  void set_buffer(std::size_t cells_max) override { buffer_.set_cells_max(cells_max); }

  std::size_t size(ServiceClass service) const {
    return buffer_.size(static_cast<std::size_t>(service));
  }

 private:
  static constexpr std::size_t kFirstWeighted = static_cast<std::size_t>(ServiceClass::kNrtVbr);

  // Gives the next class its turn, with its full weight.
  void end_turn();

  PortBuffer buffer_;  // a queue for each ServiceClass, in its order
  std::array<std::uint32_t, kServiceClasses> weights_;
  std::size_t turn_ = kFirstWeighted;
  std::uint32_t left_;  // cells that the class may still send in this turn, 1 or more
};

}  // namespace xbind::dataplane
