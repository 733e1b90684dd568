// What a connection takes of an output port, bandwidth and buffer together, as its service category has it.
//
//   category  cells/s                          buffer in cells
//   CBR       PCR                              1 + ceil(CDVT PCR)
//   VBR       E below, at overbooking          1 + ceil((MBS - 1)(1 - E/PCR)) + ceil(CDVT E), the same
//   GFR       MCR, at overbooking              the same with MCR; with MCR 0 nothing
//   UBR       0                                0
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
// overbooked, since its cells always come. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/result.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

struct PortPolicy {
  static constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;
  static constexpr std::uint64_t kBufferCellsMax = 4'294'967'295;
  static constexpr std::uint32_t kOverbookingNone = 1000;
  static constexpr std::uint32_t kOverbookingMax = 100'000;

  std::uint64_t cells_per_s = 0;   // C, from 1
  std::uint64_t buffer_cells = 0;  // B, from 0
  // How many thousandths of itself the port may be sold: at 1500 three connections take what two need.
  std::uint32_t overbooking = kOverbookingNone;  // kOverbookingNone to kOverbookingMax
  std::uint32_t rt_wait_us = 1000;               // the longest wait of a cell of rt-VBR

  friend bool operator==(const PortPolicy&, const PortPolicy&) = default;
};

// kBadInput: a policy or a contract that cannot be, with the number. Whether there is room is not asked.
Result<Resources> admission_of(const TrafficContract& contract, const PortPolicy& port);

// E of VBR, in whole cells a second, rounded up. Both can be: check() accepts them.
std::uint64_t effective_cells_per_s(const TrafficContract& vbr, const PortPolicy& port);

}  // namespace xbind
