// What a connection takes of an output port, bandwidth and buffer together, as its service category has it:
// what the ledger charges its hop (Ledger::charge_of). Bandwidth is counted against the line rate times the
// port's overbooking factor f, buffer against the port's buffer; the parts of g = max(1, f) see below.
//
//   mode       category      cells/s   buffer in cells
//   all        no contract   the demand, as it is
//   demand     all           the demand, as it is
//   others     CBR           g PCR     that of the demand
//   others     GFR           MCR       1/g of 1 + ceil((MBS - 1)(1 - MCR/PCR)) + ceil(CDVT MCR); MCR 0: 0
//   others     UBR           0         0
//   peak       VBR           PCR       1/g of 1 + ceil(CDVT PCR)
//   effective  VBR           E         1/g of 1 + ceil((MBS - 1)(1 - E/PCR)) + ceil(CDVT E)
//
// E is the lossless effective bandwidth of A. Elwalid, D. Mitra and R. H. Wentworth, "A new approach for
// allocating buffers and bandwidth to heterogeneous, regulated traffic in an ATM node", IEEE Journal on
// Selected Areas in Communications 13(6), 1995. A source behind a dual leaky bucket is at its worst when it
// sends its burst at the peak and is silent until it may again. Of all pairs of a rate and a buffer that lose
// none of its cells, the pair is taken that has the port's own proportion of buffer to rate, B/C, so that
// neither is used up before the other. With the paper's token buffer MBS (1 - SCR/PCR) that is
//
//   E = max(SCR, PCR MBS / (MBS + PCR B/C))
//
// The paper counts in fluid, we in cells: to its buffer come the cell that is being served and what CDVT
// lets come early. For rt-VBR, B/C is no more than the time that a cell may wait in this port.
//
// Overbooking is the operator's choice: the loss that it may make is the operator's too. CBR is never
// overbooked, since its cells always come: its charge grows as the port does. The buffer of the others
// shrinks instead, for there is no more of it than there is. Below 1, f keeps part of the line free; the
// buffer knows nothing of that.
//
// The demand of CBR says its buffer because its user may: cells that come evenly need one, and what the
// tolerance lets come early as well. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/traffic_contract.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

enum class AdmissionMode : std::uint8_t { kDemand, kPeak, kEffective };

struct PortPolicy {
  static constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;
  static constexpr std::uint64_t kBufferCellsMax = 4'294'967'295;
  static constexpr std::uint32_t kOverbookingNone = 1000;
  static constexpr std::uint32_t kOverbookingMax = 1'000'000;

  std::uint64_t cells_per_s = 0;   // C; 0 has no room, whatever is charged
  std::uint64_t buffer_cells = 0;  // B
  // f in thousandths: at 1500 three connections of VBR take what two need. 1 to kOverbookingMax.
  std::uint32_t overbooking = kOverbookingNone;
  std::uint32_t rt_wait_us = kRtWaitUs;  // the longest wait of a cell of rt-VBR

  friend bool operator==(const PortPolicy&, const PortPolicy&) = default;
};

// `contract` can be: check() accepts it. Numbers of the port above the bounds count as the bounds. Whether
// there is room is not asked.
Resources admission_of(AdmissionMode mode, const Resources& demand, const TrafficContract& contract,
                       const PortPolicy& port);

// E of VBR, in whole cells a second, rounded up.
std::uint64_t effective_cells_per_s(const TrafficContract& vbr, const PortPolicy& port);

}  // namespace xbind
