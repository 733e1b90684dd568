#include "qosmapper/service.hpp"

#include <utility>

#include "qosmapper/mapping.hpp"

namespace xbind {
namespace {

tl::expected<Resources, ServiceRefusal> of_cells(const ServiceSpec& service) {
  if (service.cells_per_s == 0 || service.cells_per_s > kCellsPerSMax) {
    return tl::make_unexpected(ServiceRefusal{
        Cause::kInvalidRequest, "cells/s", service.cells_per_s, kCellsPerSMax,
        fmt::format("{} cells/s are not in 1 to {}", service.cells_per_s, kCellsPerSMax)});
  }
  return Resources{service.cells_per_s, service.buffer_cells};
}

tl::expected<Resources, ServiceRefusal> of_video(const ServiceSpec& service) {
  const auto mapped = to_network({service.frames_per_1000_s, service.frame_octets});
  if (mapped) return *mapped;
  const std::uint64_t number =
      service.frame_octets == 0 ? service.frame_octets : service.frames_per_1000_s;
  return tl::make_unexpected(ServiceRefusal{Cause::kInvalidRequest, "frames/1000 s or frame octets",
                                            number, 0, mapped.error().text});
}

}  // namespace

tl::expected<Resources, ServiceRefusal> service_to_network(const ServiceSpec& service) {
  switch (service.kind) {
    case ServiceKind::kCells: return of_cells(service);
    case ServiceKind::kVideo: return of_video(service);
  }
  const auto kind = static_cast<std::uint64_t>(service.kind);
  return tl::make_unexpected(ServiceRefusal{Cause::kUnknownService, "service", kind, 0,
                                            fmt::format("no service is of kind {}", kind)});
}

}  // namespace xbind
