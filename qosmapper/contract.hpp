// From services to traffic contracts, and from contracts to what they take of every output port. Each
// formula is here with where it comes from; docs/qos.md has them in one table. Whole numbers, rounded
// up. Pure; any thread.
//
// CDVT of a source whose owner names none (cells and video). Two things move a cell away from the
// moment that its peak rate gives it. The source's own clock need not be in phase with the slots of its
// line: one emission interval T = 1/PCR at most. And in the multiplexers before the point where the
// contract is looked at, it waits behind cells of others: kCellsAhead of them, each for one slot D of the
// line, and for less the more of the line is its own. So
//
//   CDVT = max(T, kCellsAhead D (1 - D/T)),  D = 1 / kReferenceLine
//
// in microseconds, at least 1. kCellsAhead = 80 is our choice: the queue of a multiplexer that is loaded
// to 85 % by independent sources is longer less often than once in 10^9 cells (M/D/1).
//
// What a contract takes: see resources_of().
#pragma once

#include <cstdint>

#include "core/resources.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

// 155.52 Mb/s with the overhead of SDH: the line of the paper's switches.
inline constexpr std::uint64_t kReferenceLineCellsPerS = 353'207;
inline constexpr std::uint64_t kCellsAhead = 80;

// The formula above. `pcr_cells_per_s`: 1 to TrafficContract::kFieldMax.
std::uint32_t cdvt_us_for(std::uint64_t pcr_cells_per_s);

// So many cells a second, evenly: CBR. `cells_per_s`: 1 to TrafficContract::kFieldMax.
TrafficContract contract_of_cells(std::uint64_t cells_per_s);

// What a contract that can be (check()) takes of every output port, so that conforming cells never find
// the buffer full: of the cells that may come in a time t, 1 + floor((t + tolerance) x rate), as many as
// cannot have left in that time at the rate that is taken, the one that is leaving included.
//
//   category  cells/s  buffer in cells
//   CBR       PCR      1 + ceil(CDVT PCR): the clump that the tolerance admits
//   rt-VBR    PCR      the same: no cell waits for a burst of its own
//   nrt-VBR   SCR      1 + ceil((MBS - 1)(1 - SCR/PCR)) + ceil(CDVT SCR): a burst at the peak, the clump
//   GFR       MCR      the same with MCR: of what is guaranteed; with MCR 0 nothing
//   UBR, none 0        0: nothing is promised
//
// The tolerance of VBR and GFR is that of the burst, (MBS - 1)(1/SCR - 1/PCR), and CDVT.
Resources resources_of(const TrafficContract& contract);

}  // namespace xbind
