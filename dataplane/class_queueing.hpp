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
// Each class has its own bounds and drops at the tail, cells with CLP 1 earlier (FifoQueueing).
// Memory: cells_max x 60 octets for each class ever used, allocated at its first cell.
#pragma once

#include <array>
#include <cstdint>

#include "dataplane/fifo_queueing.hpp"

namespace xbind::dataplane {

struct ClassOptions {
  std::size_t cells_max = 1024;      // 1 or more
  std::size_t clp1_cells_max = 768;  // at or above cells_max: CLP makes no difference
  std::uint32_t weight = 1;          // 1 or more; unused for CBR and rt-VBR
};
// Indexed by ServiceClass. nrt-VBR, which has a rate in its contract, gets twice the weight of ABR
// and GFR, which get twice that of UBR.
using ClassQueueingOptions = std::array<ClassOptions, kServiceClasses>;
ClassQueueingOptions class_options(std::size_t cells_max);

class ClassQueueing final : public Queueing {
 public:
  explicit ClassQueueing(const ClassQueueingOptions& options);

  bool enqueue(const Arrival& arrival, TimePoint now) override;
  std::size_t dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint now) override;
  std::size_t size() const override;
  std::size_t drop_all() override;

  std::size_t size(ServiceClass service) const { return at(service).size(); }

 private:
  static constexpr std::size_t kFirstWeighted = static_cast<std::size_t>(ServiceClass::kNrtVbr);

  const FifoQueueing& at(ServiceClass service) const {
    return queues_[static_cast<std::size_t>(service)];
  }
  // Gives the next class its turn, with its full weight.
  void end_turn();

  std::array<FifoQueueing, kServiceClasses> queues_;
  std::array<std::uint32_t, kServiceClasses> weights_;
  std::size_t turn_ = kFirstWeighted;
  std::uint32_t left_;  // cells that the class may still send in this turn, 1 or more
};

}  // namespace xbind::dataplane
