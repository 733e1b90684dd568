#include "qosmapper/service.hpp"

#include <fmt/format.h>

#include <utility>

#include "qosmapper/contract.hpp"
#include "qosmapper/mapping.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kMax = TrafficContract::kFieldMax;

using Mapped = tl::expected<NetworkService, ServiceRefusal>;

Mapped refuse(const char* element, std::uint64_t asked, std::uint64_t free, std::string text) {
  return tl::make_unexpected(
      ServiceRefusal{Cause::kInvalidRequest, element, asked, free, std::move(text)});
}

Mapped of_cells(const ServiceSpec& service) {
  if (service.cells_per_s == 0 || service.cells_per_s > kMax) {
    return refuse("cells/s", service.cells_per_s, kMax,
                  fmt::format("{} cells/s are not in 1 to {}", service.cells_per_s, kMax));
  }
  return NetworkService{{service.cells_per_s, service.buffer_cells},
                        contract_of_cells(service.cells_per_s)};
}

Mapped of_video(const ServiceSpec& service) {
  const auto mapped = to_network({service.frames_per_1000_s, service.frame_octets});
  if (!mapped) {
    const std::uint64_t number =
        service.frame_octets == 0 ? service.frame_octets : service.frames_per_1000_s;
    return refuse("frames/1000 s or frame octets", number, 0, mapped.error().text);
  }
  if (mapped->cells_per_s > kMax) {
    return refuse(
        "cells/s", mapped->cells_per_s, kMax,
        fmt::format("the video needs {} cells/s, the most is {}", mapped->cells_per_s, kMax));
  }
  if (mapped->buffer_cells > kMax) {
    return refuse("cells a frame", mapped->buffer_cells, kMax,
                  fmt::format("a frame is {} cells, the most is {}", mapped->buffer_cells, kMax));
  }
  return NetworkService{*mapped, contract_of_video(*mapped)};
}

Mapped of_contract(const TrafficContract& contract) {
  if (!contract.present()) return refuse("category", 0, 0, "the service names no contract");
  if (const auto refused = check(contract)) {
    return refuse(refused->field.data(), refused->value, refused->bound, to_string(*refused));
  }
  return NetworkService{resources_of(contract), contract};
}

}  // namespace

tl::expected<NetworkService, ServiceRefusal> service_to_network(const ServiceSpec& service) {
  switch (service.kind) {
    case ServiceKind::kCells: return of_cells(service);
    case ServiceKind::kVideo: return of_video(service);
    case ServiceKind::kContract: return of_contract(service.contract);
  }
  const auto kind = static_cast<std::uint64_t>(service.kind);
  return tl::make_unexpected(ServiceRefusal{Cause::kUnknownService, "service", kind, 0,
                                            fmt::format("no service is of kind {}", kind)});
}

}  // namespace xbind
