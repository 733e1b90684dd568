#include "traffic/contract.hpp"

#include <algorithm>

#include "traffic/divided_up.hpp"

namespace xbind {
namespace {

// Cells that a source's tolerance allows to arrive early. Fields of 24 bits: cannot overflow.
std::uint64_t early_cells(std::uint64_t tolerance_us, std::uint64_t cells_per_s) {
  return divided_up(tolerance_us * cells_per_s, kMicroseconds);
}

// Cells of the largest burst at the peak rate that have not left at the guaranteed rate.
std::uint64_t burst_cells(const TrafficContract& contract) {
  const std::uint64_t pcr = contract.pcr_cells_per_s;
  return divided_up(
      (std::uint64_t{contract.mbs_cells} - 1) * (pcr - contract.guaranteed_cells_per_s), pcr);
}

}  // namespace

std::uint32_t cdvt_us_for(std::uint64_t pcr_cells_per_s) {
  const std::uint64_t interval = divided_up(kMicroseconds, pcr_cells_per_s);
  // kCellsAhead D (1 - D/T) with D = 1/line and T = 1/PCR is kCellsAhead (line - PCR) / line^2.
  const std::uint64_t rest =
      kReferenceLineCellsPerS - std::min(pcr_cells_per_s, kReferenceLineCellsPerS);
  const std::uint64_t wait = divided_up(kCellsAhead * kMicroseconds * rest,
                                        kReferenceLineCellsPerS * kReferenceLineCellsPerS);
  return static_cast<std::uint32_t>(std::max(interval, wait));
}

TrafficContract contract_of_cells(std::uint64_t cells_per_s) {
  return {.category = ServiceCategory::kCbr,
          .pcr_cells_per_s = static_cast<std::uint32_t>(cells_per_s),
          .cdvt_us = cdvt_us_for(cells_per_s)};
}

Resources resources_of(const TrafficContract& contract) {
  const std::uint64_t pcr = contract.pcr_cells_per_s;
  const std::uint64_t guaranteed = contract.guaranteed_cells_per_s;
  switch (contract.category) {
    case ServiceCategory::kCbr:
    case ServiceCategory::kRtVbr: return {pcr, 1 + early_cells(contract.cdvt_us, pcr)};
    case ServiceCategory::kGfr:
    case ServiceCategory::kNrtVbr:
      if (guaranteed == 0) return {};
      return {guaranteed, 1 + burst_cells(contract) + early_cells(contract.cdvt_us, guaranteed)};
    case ServiceCategory::kUbr:
    case ServiceCategory::kNone: break;
  }
  return {};
}

}  // namespace xbind
