#include "switchserver/admission.hpp"

#include <algorithm>

#include "qosmapper/contract.hpp"

namespace xbind {
namespace {

// Products of three of the numbers: 24 bits twice and 32 bits.
__extension__ typedef unsigned __int128 Wide;

constexpr std::uint64_t kMicroseconds = 1'000'000;

Result<void> check_policy(const PortPolicy& port) {
  if (port.cells_per_s == 0 || port.cells_per_s > PortPolicy::kCellsPerSMax) {
    return fail(ErrorCode::kBadInput, "a port of {} cells/s is not in 1 to {}", port.cells_per_s,
                PortPolicy::kCellsPerSMax);
  }
  if (port.buffer_cells > PortPolicy::kBufferCellsMax) {
    return fail(ErrorCode::kBadInput, "a buffer of {} cells is above {}", port.buffer_cells,
                PortPolicy::kBufferCellsMax);
  }
  if (port.overbooking < PortPolicy::kOverbookingNone ||
      port.overbooking > PortPolicy::kOverbookingMax) {
    return fail(ErrorCode::kBadInput, "overbooking of {} thousandths is not in {} to {}",
                port.overbooking, PortPolicy::kOverbookingNone, PortPolicy::kOverbookingMax);
  }
  return {};
}

std::uint64_t sold(std::uint64_t needed, const PortPolicy& port) {
  const std::uint64_t parts = needed * PortPolicy::kOverbookingNone;
  return parts / port.overbooking + (parts % port.overbooking != 0);
}

}  // namespace

std::uint64_t effective_cells_per_s(const TrafficContract& vbr, const PortPolicy& port) {
  // B/C as a fraction.
  std::uint64_t buffer = port.buffer_cells;
  std::uint64_t rate = port.cells_per_s;
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

Result<Resources> admission_of(const TrafficContract& contract, const PortPolicy& port) {
  if (const auto good = check_policy(port); !good) return tl::make_unexpected(good.error());
  if (const auto fault = check(contract)) {
    return fail(ErrorCode::kBadInput, "{}", to_string(*fault));
  }
  switch (contract.category) {
    case ServiceCategory::kNone:
    case ServiceCategory::kUbr: return Resources{};
    case ServiceCategory::kCbr: return resources_of(contract);
    case ServiceCategory::kRtVbr:
    case ServiceCategory::kNrtVbr:
    case ServiceCategory::kGfr: break;
  }
  TrafficContract served = contract;
  if (contract.category != ServiceCategory::kGfr) {
    // A burst that is served at E leaves the buffer that nrt-VBR of this SCR takes.
    served.category = ServiceCategory::kNrtVbr;
    served.guaranteed_cells_per_s =
        static_cast<std::uint32_t>(effective_cells_per_s(contract, port));
  }
  const Resources needed = resources_of(served);
  return Resources{sold(needed.cells_per_s, port), sold(needed.buffer_cells, port)};
}

}  // namespace xbind
