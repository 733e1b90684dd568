#include "client/demand_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xbind::client {
namespace {

using Refusal = std::optional<std::string>;

constexpr const char* kContractNumbers[] = {"cdvt-us", "guaranteed-cells-per-s", "mbs-cells",
                                            "mfs-cells"};

// Refuses contract parameters that the category does not have.
Refusal settle_contract(const config::OptionSet& set, ServiceSpec& service,
                        const std::string& category) {
  if (category == categories().front()) {
    for (const char* option : kContractNumbers) {
      if (set.given(option)) return fmt::format("{} goes with category", option);
    }
    return std::nullopt;
  }
  for (const char* option : {"frames-per-1000-s", "frame-octets", "buffer-cells"}) {
    if (set.given(option)) return fmt::format("{} does not go with category", option);
  }
  service.kind = ServiceKind::kContract;
  TrafficContract& contract = service.contract;
  contract.category = static_cast<ServiceCategory>(std::ranges::find(categories(), category) -
                                                   categories().begin());
  contract.pcr_cells_per_s = static_cast<std::uint32_t>(service.cells_per_s);
  if (const auto refused = check(contract)) return to_string(*refused);
  return std::nullopt;
}

// Moves frame rate and frame size into the terms.
Refusal settle_class(const config::OptionSet& set, ServiceSpec& service,
                     const ServiceOptions& named) {
  for (const char* option : {"cells-per-s", "buffer-cells", "category", "cdvt-us",
                             "guaranteed-cells-per-s", "mbs-cells", "mfs-cells"}) {
    if (set.given(option)) return fmt::format("{} does not go with service-class", option);
  }
  const ServiceSpec frames = std::exchange(service, {});
  service.kind = ServiceKind::kClass;
  service.terms = terms_of(named, frames.frames_per_1000_s, frames.frame_octets);
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& categories() {
  static const std::vector<std::string> kCategories{"none",    "cbr", "rt-vbr",
                                                    "nrt-vbr", "ubr", "gfr"};
  return kCategories;
}

std::vector<std::string> demand_option_names() {
  return {"cells-per-s",       "buffer-cells",
          "frames-per-1000-s", "frame-octets",
          "service-class",     "peak-to-mean",
          "burst-frames",      "bits-per-s",
          "peak-bits-per-s",   "frame-loss",
          "frame-delay-ms",    "category",
          "cdvt-us",           "guaranteed-cells-per-s",
          "mbs-cells",         "mfs-cells"};
}

void declare_demand(config::OptionSet& set, ServiceSpec& service, ServiceOptions& named,
                    std::string& category, const std::string& cells_more) {
  set.add_uint(
      "cells-per-s", &service.cells_per_s, 100, contract_field_from(1),
      "What the connection takes of every link, in cells a second; with --category the peak cell "
      "rate." +
          (cells_more.empty() ? "" : " " + cells_more));
  set.add_uint("buffer-cells", &service.buffer_cells, 0, {0, 1'000'000'000},
               "What it takes of every output port's buffer, in cells.");
  set.add_uint("frames-per-1000-s", &service.frames_per_1000_s, 0, {0, 1'000'000'000},
               "Frame rate in thousandths of a frame a second, instead of "
               "--cells-per-s.");
  set.add_uint("frame-octets", &service.frame_octets, 0, {0, 1'000'000'000},
               "Size of a frame in octets, with --frames-per-1000-s or "
               "--service-class.");
  declare_service_options(set, named);
  set.add_choice("category", &category, categories().front(), categories(),
                 "Names the traffic contract; none: CBR at --cells-per-s, or what a "
                 "video needs.");
  set.add_uint("cdvt-us", &service.contract.cdvt_us, 0, contract_field_from(0),
               "With --category: cell delay variation tolerance in microseconds.");
  set.add_uint("guaranteed-cells-per-s", &service.contract.guaranteed_cells_per_s, 0,
               contract_field_from(0),
               "With --category rt-vbr, nrt-vbr: sustainable cell rate; gfr: minimum cell rate.");
  set.add_uint("mbs-cells", &service.contract.mbs_cells, 0, contract_field_from(0),
               "With --category rt-vbr, nrt-vbr, gfr: maximum burst size in cells.");
  set.add_uint("mfs-cells", &service.contract.mfs_cells, 0, contract_field_from(0),
               "With --category gfr: maximum frame size in cells.");
}

std::optional<std::string> settle_demand(const config::OptionSet& set, ServiceSpec& service,
                                         const ServiceOptions& named, const std::string& category) {
  if (!named.name.empty()) return settle_class(set, service, named);
  if (const auto refused = settle_contract(set, service, category)) return refused;
  if (service.kind == ServiceKind::kContract) return std::nullopt;
  if (service.frames_per_1000_s == 0 && service.frame_octets == 0) return std::nullopt;
  if (service.frames_per_1000_s == 0 || service.frame_octets == 0) {
    return "frames-per-1000-s and frame-octets go together";
  }
  if (set.given("cells-per-s")) return "cells-per-s and frames-per-1000-s exclude each other";
  service.kind = ServiceKind::kVideo;
  const auto beyond = frames_beyond_contract(service.frames_per_1000_s, service.frame_octets);
  if (beyond) return "frames-per-1000-s and frame-octets: " + *beyond;
  return std::nullopt;
}

}  // namespace xbind::client
