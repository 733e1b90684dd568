#include "callgen/options/contract_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

namespace xbind::callgen {
namespace {

constexpr double kMostFrames_per_s = 1e6;

constexpr std::uint64_t kCells_per_s = 100;

std::optional<std::string> wrong_demand(const config::OptionSet& set,
                                        const ContractOptions& options) {
  if (!options.service.name.empty()) {
    for (const char* const cells : {"cells-per-s", "buffer-cells"}) {
      if (set.given(cells))
        return fmt::format(
            "options --{} and --service-class exclude each other: the QOSMapper says what the "
            "service takes",
            cells);
    }
    if (options.frames_per_s > 0 && service_of(options).terms->frames_per_1000_s == 0)
      return fmt::format("option --frames-per-s {} is less than a frame in 1000 seconds",
                         options.frames_per_s);
    return std::nullopt;
  }
  const bool frames = options.frames_per_s > 0;
  const bool octets = options.frame_octets > 0;
  if (frames && !octets)
    return fmt::format("option --frames-per-s {} needs --frame-octets, the size of a frame",
                       options.frames_per_s);
  if (octets && !frames)
    return fmt::format("option --frame-octets {} needs --frames-per-s, the rate of frames",
                       options.frame_octets);
  if (!frames) return std::nullopt;
  for (const char* const cells : {"cells-per-s", "buffer-cells"}) {
    if (set.given(cells))
      return fmt::format(
          "options --{} and --frames-per-s exclude each other: a call's demand is in cells or in "
          "frames",
          cells);
  }
  if (service_of(options).frames_per_1000_s == 0)
    return fmt::format("option --frames-per-s {} is less than a frame in 1000 seconds",
                       options.frames_per_s);
  if (auto beyond =
          frames_beyond_contract(service_of(options).frames_per_1000_s, options.frame_octets))
    return "options --frames-per-s and --frame-octets: " + *beyond;
  return std::nullopt;
}

}  // namespace

void declare_contract_options(config::OptionSet& set, ContractOptions& options) {
  set.add_uint("cells-per-s", &options.cells_per_s, kCells_per_s, contract_field_from(1),
               "Bandwidth of each call in 53-octet cells a second.");
  set.add_uint("buffer-cells", &options.buffer_cells, 0, {0, 4'294'967'295},
               "Buffer of each call in cells at every output port.");
  set.add_double("frames-per-s", &options.frames_per_s, 0, {0, kMostFrames_per_s},
                 "Frames a second of each call, instead of --cells-per-s; 0 asks for cells.");
  set.add_uint("frame-octets", &options.frame_octets, 0, {0, 4'294'967'295},
               "Octets of one frame; goes with --frames-per-s or --service-class.");
  declare_service_options(set, options.service, "What each call asks for, instead of cells: ");
  set.add_check([&set, &options] { return wrong_demand(set, options); });
}

ServiceSpec service_of(const ContractOptions& options) {
  const auto frames_per_1000_s =
      static_cast<std::uint64_t>(std::llround(options.frames_per_s * 1000));
  if (!options.service.name.empty()) {
    return {.kind = ServiceKind::kClass,
            .terms = terms_of(options.service, frames_per_1000_s, options.frame_octets)};
  }
  if (options.frames_per_s > 0) {
    return {.kind = ServiceKind::kVideo,
            .frames_per_1000_s = frames_per_1000_s,
            .frame_octets = options.frame_octets};
  }
  return {.kind = ServiceKind::kCells,
          .cells_per_s = options.cells_per_s,
          .buffer_cells = options.buffer_cells};
}

}  // namespace xbind::callgen
