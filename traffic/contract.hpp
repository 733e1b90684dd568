// Maps services to traffic contracts, and contracts to the resources that they need of every output
// port. Each formula is here with its origin; docs/qos.md has them in one table. Integers, rounded
// up. Pure; any thread.
//
// CDVT of a source whose owner specifies none (cells and video). Two things shift a cell from the
// time that its peak rate assigns. First, the source's own clock need not be in phase with the
// slots of its line: at most one emission interval T = 1/PCR. Second, the cell waits behind cells
// of others in the multiplexers before the point where the contract is policed. It waits for
// kCellsAhead of them, one slot D of the line each, and for less the greater its own share of the
// line is. This gives
//
//   CDVT = max(T, kCellsAhead D (1 - D/T)),  D = 1 / kReferenceLine
//
// in microseconds, at least 1. kCellsAhead = 80 is this project's choice: the queue of a
// multiplexer that independent sources load to 85 % exceeds it less often than once in 10^9 cells
// (M/D/1).
//
// For the resources of a contract see resources_of().
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

// The contract of `cells_per_s` evenly spaced cells: CBR. `cells_per_s`: 1 to
// TrafficContract::kFieldMax.
TrafficContract contract_of_cells(std::uint64_t cells_per_s);

// The resources that a valid contract (check()) needs of every output port so that conforming cells
// never find the buffer full. At most 1 + floor((t + tolerance) x rate) cells arrive in a time t.
// The buffer holds those that cannot have left in that time at the charged rate, the cell being
// sent included.
//
//   category  cells/s  buffer in cells
//   CBR       PCR      1 + ceil(CDVT PCR): the clump that the tolerance admits
//   rt-VBR    PCR      as CBR: no cell waits for a burst of its own connection
//   nrt-VBR   SCR      1 + ceil((MBS - 1)(1 - SCR/PCR)) + ceil(CDVT SCR): a peak burst, the clump
//   GFR       MCR      the same with MCR: the guaranteed part; 0 if MCR is 0
//   UBR, none 0        0: nothing is promised
//
// The tolerance of VBR and GFR is the burst's, (MBS - 1)(1/SCR - 1/PCR), plus CDVT.
Resources resources_of(const TrafficContract& contract);

}  // namespace xbind
