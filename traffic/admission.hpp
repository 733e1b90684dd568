// Admission: the bandwidth and buffer of an output port that a connection uses, by its service
// category. The ledger charges each hop this amount (PortAccounts::charge_of). Bandwidth counts
// against the line rate times the port's overbooking factor f, buffer against the port's buffer.
// The factor g is max(1, f).
//
//   mode       category      cells/s   buffer in cells
//   all        no contract   as the demand
//   demand     all           as the demand
//   others     CBR           g PCR     as the demand
//   others     GFR           MCR       1/g of 1 + ceil((MBS - 1)(1 - MCR/PCR)) + ceil(CDVT MCR);
//                                      0 if MCR is 0
//   others     UBR           0         0
//   peak       VBR           PCR       1/g of 1 + ceil(CDVT PCR)
//   effective  VBR           E         1/g of 1 + ceil((MBS - 1)(1 - E/PCR)) + ceil(CDVT E)
//
// E is the lossless effective bandwidth of A. Elwalid, D. Mitra and R. H. Wentworth, "A new
// approach for allocating buffers and bandwidth to heterogeneous, regulated traffic in an ATM
// node", IEEE Journal on Selected Areas in Communications 13(6), 1995. A source behind a dual leaky
// bucket is at its worst when it sends its burst at the peak rate and is then silent until it may
// send the next one. Many pairs of a rate and a buffer lose none of its cells. The paper chooses
// the pair in the port's own proportion of buffer to rate, B/C, so that neither is used up before
// the other. With the paper's token buffer MBS (1 - SCR/PCR) this gives
//
//   E = max(SCR, PCR MBS / (MBS + PCR B/C))
//
// The paper's model is a fluid, this code counts cells. Its buffer therefore grows by the cell in
// service and by the cells that CDVT allows to arrive early. For rt-VBR, B/C is at most the longest
// time that a cell may wait in this port.
//
// Overbooking is the operator's choice, and so is the loss that it may cause. CBR is never
// overbooked, since its cells always arrive: its charge grows with f. For the other categories the
// buffer charge shrinks, because the buffer itself cannot grow. A factor below 1 keeps part of the
// line free and does not affect the buffer.
//
// The demand of CBR states its buffer because its user may choose it: even evenly spaced cells need
// one cell, and CDVT adds those that arrive early. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/traffic_contract.hpp"
#include "traffic/timers.hpp"

namespace xbind {

enum class AdmissionMode : std::uint8_t { kDemand, kPeak, kEffective };

struct PortPolicy {
  static constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;
  static constexpr std::uint64_t kBufferCellsMax = 4'294'967'295;
  static constexpr std::uint32_t kOverbookingNone = 1000;
  static constexpr std::uint32_t kOverbookingMax = 1'000'000;
  static constexpr std::uint32_t kRtWaitUs =
      kTrafficTimers["rt-wait-us"] / std::chrono::microseconds{1};

  std::uint64_t cells_per_s = 0;   // C; a port with 0 admits nothing, whatever the charge
  std::uint64_t buffer_cells = 0;  // B
  // f in thousandths: at 1500, three VBR connections use what two need. 1 to kOverbookingMax.
  std::uint32_t overbooking = kOverbookingNone;
  std::uint32_t rt_wait_us = kRtWaitUs;  // the longest wait of a cell of rt-VBR

  friend bool operator==(const PortPolicy&, const PortPolicy&) = default;
};

// check() must accept `contract`. Port numbers above the bounds count as the bounds. Does not check
// whether the port has room.
Resources admission_of(AdmissionMode mode, const Resources& demand, const TrafficContract& contract,
                       const PortPolicy& port);

// The least cells/s that any port charges: in no mode, with no factor and no buffer is
// admission_of() lower. A path search with this rate excludes no path that the ledgers would take.
std::uint64_t least_cells_per_s(const Resources& demand, const TrafficContract& contract);

// E of VBR, in whole cells a second, rounded up.
std::uint64_t effective_cells_per_s(const TrafficContract& vbr, const PortPolicy& port);

}  // namespace xbind
