#include "traffic/admission.hpp"

#include <algorithm>

#include "traffic/contract.hpp"
#include "traffic/divided_up.hpp"

namespace xbind {
namespace {

// Holds a product of three factors: two of 24 bits and one of 32.
__extension__ typedef unsigned __int128 Wide;

constexpr std::uint64_t kNone = PortPolicy::kOverbookingNone;

// g in thousandths.
std::uint64_t sold(const PortPolicy& port) {
  return std::clamp<std::uint64_t>(port.overbooking, kNone, PortPolicy::kOverbookingMax);
}

}  // namespace

std::uint64_t effective_cells_per_s(const TrafficContract& vbr, const PortPolicy& port) {
  if (port.cells_per_s == 0) return vbr.pcr_cells_per_s;
  // B/C as a fraction.
  std::uint64_t buffer = std::min(port.buffer_cells, PortPolicy::kBufferCellsMax);
  std::uint64_t rate = std::min(port.cells_per_s, PortPolicy::kCellsPerSMax);
  if (vbr.category == ServiceCategory::kRtVbr &&
      buffer * kMicroseconds > rate * std::uint64_t{port.rt_wait_us}) {
    buffer = port.rt_wait_us;
    rate = kMicroseconds;
  }
  const Wide peak = vbr.pcr_cells_per_s;
  const Wide burst = vbr.mbs_cells;
  const Wide below = burst * rate + peak * buffer;
  const auto lossless = static_cast<std::uint64_t>((peak * burst * rate + below - 1) / below);
  return std::max<std::uint64_t>(vbr.guaranteed_cells_per_s, lossless);
}

Resources admission_of(AdmissionMode mode, const Resources& demand, const TrafficContract& contract,
                       const PortPolicy& port) {
  if (mode == AdmissionMode::kDemand || !contract.present()) return demand;
  TrafficContract served = contract;
  switch (contract.category) {
    case ServiceCategory::kNone:
    case ServiceCategory::kUbr: return {};
    case ServiceCategory::kCbr:
      return {divided_up(contract.pcr_cells_per_s * sold(port), kNone), demand.buffer_cells};
    case ServiceCategory::kGfr: break;
    case ServiceCategory::kRtVbr:
    case ServiceCategory::kNrtVbr:
      // resources_of() grants rt-VBR its peak rate. A burst served at E needs the buffer that
      // nrt-VBR with SCR = E needs.
      served.category = ServiceCategory::kRtVbr;
      if (mode == AdmissionMode::kPeak) break;
      served.category = ServiceCategory::kNrtVbr;
      served.guaranteed_cells_per_s =
          static_cast<std::uint32_t>(effective_cells_per_s(contract, port));
      break;
  }
  const Resources needed = resources_of(served);
  return {needed.cells_per_s, divided_up(needed.buffer_cells * kNone, sold(port))};
}

std::uint64_t least_cells_per_s(const Resources& demand, const TrafficContract& contract) {
  std::uint64_t least = demand.cells_per_s;  // AdmissionMode::kDemand
  switch (contract.category) {
    case ServiceCategory::kNone: break;
    case ServiceCategory::kUbr: return 0;
    case ServiceCategory::kCbr:
      least = std::min<std::uint64_t>(least, contract.pcr_cells_per_s);
      break;
    case ServiceCategory::kRtVbr:
    case ServiceCategory::kNrtVbr:
    case ServiceCategory::kGfr:
      least = std::min<std::uint64_t>(least, contract.guaranteed_cells_per_s);
      break;
  }
  return least;
}

}  // namespace xbind
