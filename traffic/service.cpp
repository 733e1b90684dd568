#include "traffic/service.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "core/contract_bound.hpp"
#include "traffic/atm_mapping.hpp"
#include "traffic/contract.hpp"
#include "traffic/mapping.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kMax = TrafficContract::kFieldMax;

using Mapped = tl::expected<MappedService, ServiceRefusal>;

tl::unexpected<ServiceRefusal> refuse(const char* element, std::uint64_t asked, std::uint64_t free,
                                      std::string text) {
  return tl::make_unexpected(
      ServiceRefusal{Cause::kInvalidRequest, element, asked, free, std::move(text)});
}

// Refuses with a sentence that names the number itself.
tl::unexpected<ServiceRefusal> refuse(const std::string& text) {
  return tl::make_unexpected(ServiceRefusal{Cause::kInvalidRequest, text, 0, 0, text});
}

Mapped of_cells(const ServiceSpec& service) {
  if (service.cells_per_s == 0 || service.cells_per_s > kMax) {
    std::string text = fmt::format("{} cells/s are not in 1 to {}", service.cells_per_s, kMax);
    if (service.cells_per_s != 0) text += fmt::format(": {}", kWhyContractFieldMax);
    return refuse("cells/s", service.cells_per_s, kMax, std::move(text));
  }
  return MappedService{
      {{service.cells_per_s, service.buffer_cells}, contract_of_cells(service.cells_per_s)},
      {},
      {}};
}

Mapped of_video(const ServiceSpec& service) {
  const auto mapped = to_network({service.frames_per_1000_s, service.frame_octets});
  if (!mapped) {
    const std::uint64_t number =
        service.frame_octets == 0 ? service.frame_octets : service.frames_per_1000_s;
    return refuse("frames/1000 s or frame octets", number, 0, mapped.error().text);
  }
  if (mapped->cells_per_s > kMax) {
    return refuse("cells/s", mapped->cells_per_s, kMax,
                  fmt::format("the video needs {} cells/s, the most is {}: {}", mapped->cells_per_s,
                              kMax, kWhyContractFieldMax));
  }
  if (mapped->buffer_cells > kMax) {
    return refuse("cells a frame", mapped->buffer_cells, kMax,
                  fmt::format("a frame is {} cells, the most is {}: {}", mapped->buffer_cells, kMax,
                              kWhyContractFieldMax));
  }
  UserService frames;
  frames.frames_per_1000_s = service.frames_per_1000_s;
  frames.frame_octets = service.frame_octets;
  frames.at_once = true;
  const Result<TrafficContract> contract = contract_for(frames);
  if (!contract) return refuse(contract.error().text);
  return MappedService{{*mapped, *contract}, frames, {}};
}

Mapped of_contract(const TrafficContract& contract) {
  if (!contract.present()) return refuse("category", 0, 0, "the service names no contract");
  if (const auto refused = check(contract)) {
    return refuse(refused->field.data(), refused->value, refused->bound, to_string(*refused));
  }
  return MappedService{{resources_of(contract), contract}, {}, {}};
}

struct Term {
  std::string_view name;
  std::uint64_t ServiceTerms::*said;
  std::uint64_t taken_by;  // bits, 1 << ServiceClass
};

constexpr std::uint64_t only(std::initializer_list<ServiceClass> classes) {
  std::uint64_t bits = 0;
  for (const ServiceClass one : classes) bits |= std::uint64_t{1} << static_cast<unsigned>(one);
  return bits;
}

constexpr Term kTerms[] = {
    {"frames in 1000 s", &ServiceTerms::frames_per_1000_s,
     only({ServiceClass::kVideo, ServiceClass::kVoice})},
    {"peak to mean (thousandths)", &ServiceTerms::peak_to_mean, only({ServiceClass::kVideo})},
    {"burst frames", &ServiceTerms::burst_frames,
     only({ServiceClass::kVideo, ServiceClass::kData})},
    {"bits/s", &ServiceTerms::bits_per_s, only({ServiceClass::kConstant, ServiceClass::kData})},
    {"peak bits/s", &ServiceTerms::peak_bits_per_s, only({ServiceClass::kData})},
    {"delay in us", &ServiceTerms::delay_us,
     only({ServiceClass::kVideo, ServiceClass::kVoice, ServiceClass::kConstant})},
};

// A given value (not 0) replaces the present one.
void take(std::uint64_t said, std::uint64_t& place) {
  if (said != 0) place = said;
}
void take(std::uint64_t said, std::optional<std::uint64_t>& place) {
  if (said != 0) place = said;
}

Mapped of_class(const std::optional<ServiceTerms>& terms, const Catalogue& catalogue) {
  if (!terms) return refuse("the service names no class");
  UserService frames;
  const std::optional<ServiceClass> word = class_of_word(terms->name);
  const Catalogue::Entry* entry = word ? nullptr : catalogue.find(terms->name);
  if (word) {
    frames.service = *word;
  } else if (entry != nullptr) {
    frames = entry->service;
  } else {
    const std::string element = fmt::format("service '{}'", terms->name);
    return tl::make_unexpected(ServiceRefusal{Cause::kUnknownService, element, 0, 0,
                                              fmt::format("the catalogue has no {}", element)});
  }
  for (const Term& term : kTerms) {
    const std::uint64_t value = (*terms).*term.said;
    if (value == 0 || (term.taken_by & only({frames.service})) != 0) continue;
    return refuse(
        fmt::format("{} of {}: {} takes none", term.name, value, to_string(frames.service)));
  }
  take(terms->frames_per_1000_s, frames.frames_per_1000_s);
  take(terms->frame_octets, frames.frame_octets);
  take(terms->peak_to_mean, frames.peak_to_mean);
  take(terms->burst_frames, frames.burst_frames);
  take(terms->bits_per_s, frames.bits_per_s);
  take(terms->peak_bits_per_s, frames.peak_bits_per_s);
  take(terms->frame_loss, frames.asked.frame_loss);
  take(terms->delay_us, frames.asked.delay_us);
  const bool as_listed = entry != nullptr && frames == entry->service;
  const Result<AtmService> mapped = as_listed ? entry->mapped : to_atm(frames);
  if (!mapped) return refuse(fmt::format("{}: {}", terms->name, mapped.error().text));
  return MappedService{{resources_of(mapped->contract), mapped->contract}, frames, mapped->qos};
}

}  // namespace

tl::expected<MappedService, ServiceRefusal> map_service(const ServiceSpec& service,
                                                        const Catalogue& catalogue) {
  switch (service.kind) {
    case ServiceKind::kCells: return of_cells(service);
    case ServiceKind::kVideo: return of_video(service);
    case ServiceKind::kContract: return of_contract(service.contract);
    case ServiceKind::kClass: return of_class(service.terms, catalogue);
  }
  const auto kind = static_cast<std::uint64_t>(service.kind);
  return tl::make_unexpected(ServiceRefusal{Cause::kUnknownService, "service", kind, 0,
                                            fmt::format("no service is of kind {}", kind)});
}

tl::expected<NetworkService, ServiceRefusal> service_to_network(const ServiceSpec& service,
                                                                const Catalogue& catalogue) {
  auto mapped = map_service(service, catalogue);
  if (!mapped) return tl::make_unexpected(std::move(mapped.error()));
  return mapped->network;
}

tl::expected<UserQos, ServiceRefusal> network_to_service(const ServiceSpec& service,
                                                         const TrafficContract& contract,
                                                         std::span<const NetworkQos> hops,
                                                         const Catalogue& catalogue) {
  auto mapped = map_service(service, catalogue);
  if (!mapped) return tl::make_unexpected(std::move(mapped.error()));
  if (!mapped->frames) {
    return refuse(fmt::format("a service of kind {} names no frames",
                              static_cast<std::uint64_t>(service.kind)));
  }
  const Result<UserQos> seen = to_user(*mapped->frames, {contract, over_hops(hops)});
  if (!seen) return refuse(seen.error().text);
  return *seen;
}

}  // namespace xbind
