#include "tests/sim/expected.hpp"

#include <algorithm>

#include "cmgr/parts/service.hpp"

namespace xbind::sim {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::uint64_t kMicroseconds = 1'000'000;

// ceil(a / b), for b > 0.
std::uint64_t up(Wide a, Wide b) { return static_cast<std::uint64_t>((a + b - 1) / b); }

// Cells that the tolerance allows to arrive early at that rate, plus the cell being served.
std::uint64_t early(std::uint64_t cdvt_us, std::uint64_t rate) {
  return 1 + up(Wide{cdvt_us} * rate, kMicroseconds);
}

// The part of a burst at the peak rate that is still queued at its end when served at `rate`.
std::uint64_t left_of_burst(const TrafficContract& contract, std::uint64_t rate) {
  return up(Wide{contract.mbs_cells - 1} * (contract.pcr_cells_per_s - rate),
            contract.pcr_cells_per_s);
}

Resources demand_of(const TrafficContract& contract) {
  const std::uint64_t peak = contract.pcr_cells_per_s;
  const std::uint64_t mean = contract.guaranteed_cells_per_s;
  switch (contract.category) {
    case ServiceCategory::kCbr:
    case ServiceCategory::kRtVbr: return {peak, early(contract.cdvt_us, peak)};
    case ServiceCategory::kNrtVbr:
    case ServiceCategory::kGfr:
      if (mean == 0) return {};
      return {mean, left_of_burst(contract, mean) + early(contract.cdvt_us, mean)};
    case ServiceCategory::kNone:
    case ServiceCategory::kUbr: break;
  }
  return {};
}

void expect(const ServiceSpec& service, Resources& demand, TrafficContract& contract) {
  if (!cmgr::network_of(service)) return;  // validity is not checked here
  switch (service.kind) {
    case ServiceKind::kCells:
      // Evenly spaced cells, each early by at most its interval.
      demand = {service.cells_per_s, service.buffer_cells};
      contract = {};
      contract.category = ServiceCategory::kCbr;
      contract.pcr_cells_per_s = static_cast<std::uint32_t>(service.cells_per_s);
      contract.cdvt_us = static_cast<std::uint32_t>(up(kMicroseconds, service.cells_per_s));
      return;
    case ServiceKind::kVideo: {
      // Frames in AAL5: a trailer of 8 octets, 48 octets a cell; one whole frame may wait.
      const std::uint64_t cells = up(Wide{service.frame_octets} + 8, 48);
      demand = {up(Wide{cells} * service.frames_per_1000_s, 1'000), cells};
      contract = cmgr::network_of(service)->contract;  // not stated here
      return;
    }
    case ServiceKind::kContract:
      contract = service.contract;
      demand = demand_of(contract);
      return;
    default: return;
  }
}

}  // namespace

cmgr::Contract expected_contract(const ServiceSpec& service,
                                 const std::optional<ServiceSpec>& reverse) {
  cmgr::Contract contract;
  expect(service, contract.forward, contract.traffic);
  if (reverse) expect(*reverse, contract.reverse, contract.reverse_traffic);
  return contract;
}

Resources expected_capacity(const ExpectedPort& port) {
  return {port.cells_per_s * port.overbooking / 1'000, port.buffer_cells};
}

Resources expected_charge(const ExpectedPort& port, const Resources& demand,
                          const TrafficContract& contract) {
  if (port.mode == AdmissionMode::kDemand || !contract.present()) return demand;
  const std::uint64_t sold = std::max<std::uint64_t>(1'000, port.overbooking);
  const auto shared = [&](std::uint64_t cells) { return up(Wide{cells} * 1'000, sold); };
  const std::uint64_t peak = contract.pcr_cells_per_s;
  switch (contract.category) {
    case ServiceCategory::kCbr: return {up(Wide{peak} * sold, 1'000), demand.buffer_cells};
    case ServiceCategory::kGfr: {
      const Resources needed = demand_of(contract);
      return {needed.cells_per_s, shared(needed.buffer_cells)};
    }
    case ServiceCategory::kRtVbr:
    case ServiceCategory::kNrtVbr: break;
    case ServiceCategory::kNone:
    case ServiceCategory::kUbr: return {};
  }
  if (port.mode == AdmissionMode::kPeak) return {peak, shared(early(contract.cdvt_us, peak))};
  // E = max(SCR, PCR MBS / (MBS + PCR B/C)), B/C at most a millisecond for rt-VBR.
  Wide buffer = port.buffer_cells;
  Wide rate = port.cells_per_s;
  if (contract.category == ServiceCategory::kRtVbr && buffer * 1'000 > rate) {
    buffer = 1;
    rate = 1'000;
  }
  const Wide burst = contract.mbs_cells;
  const std::uint64_t lossless = up(peak * burst * rate, burst * rate + peak * buffer);
  const std::uint64_t effective =
      std::max<std::uint64_t>(contract.guaranteed_cells_per_s, lossless);
  return {effective,
          shared(left_of_burst(contract, effective) + early(contract.cdvt_us, effective))};
}

}  // namespace xbind::sim
