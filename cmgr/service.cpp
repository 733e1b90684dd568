#include "cmgr/service.hpp"

#include "qosmapper/mapping.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::uint64_t kCellsPerSecondMax = 0xffff'ffff;

}  // namespace

tl::expected<Resources, Refusal> demand_of(const ServiceSpec& service) {
  switch (service.kind) {
    case ServiceKind::kCells:
      if (service.cells_per_s == 0 || service.cells_per_s > kCellsPerSecondMax) {
        return tl::make_unexpected(
            Refusal{Cause::kInvalidRequest, "cells/s", service.cells_per_s, kCellsPerSecondMax});
      }
      return Resources{service.cells_per_s, service.buffer_cells};
    case ServiceKind::kVideo: {
      const auto mapped = to_network({service.frames_per_1000_s, service.frame_octets});
      if (!mapped) {
        return tl::make_unexpected(Refusal{
            Cause::kInvalidRequest, "frames/1000 s or frame octets",
            service.frame_octets == 0 ? service.frame_octets : service.frames_per_1000_s, 0});
      }
      return *mapped;
    }
  }
  return tl::make_unexpected(
      Refusal{Cause::kUnknownService, "service", static_cast<std::uint64_t>(service.kind), 0});
}

}  // namespace xbind::cmgr
