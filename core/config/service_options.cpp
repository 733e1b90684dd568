#include "core/config/service_options.hpp"

#include <fmt/format.h>

#include "core/whole_number.hpp"

namespace xbind {
namespace {

std::uint64_t up(double value) { return whole_number(value, Round::kUp); }
std::uint64_t down(double value) { return whole_number(value, Round::kDown); }

constexpr const char* kGoWith[] = {"peak-to-mean",    "burst-frames", "bits-per-s",
                                   "peak-bits-per-s", "frame-loss",   "frame-delay-ms"};

}  // namespace

std::optional<std::string> frames_beyond_contract(std::uint64_t frames_per_1000_s,
                                                  std::uint64_t frame_octets) {
  constexpr std::uint64_t kCellOctets = 48;
  constexpr std::uint64_t kMax = TrafficContract::kFieldMax;
  const std::uint64_t frame_cells = frame_octets / kCellOctets + (frame_octets % kCellOctets != 0);
  if (frame_cells > kMax) {
    return fmt::format("a frame of {} octets has at least {} cells, more than {}: {}", frame_octets,
                       frame_cells, kMax, kWhyContractFieldMax);
  }
  // By division: the product may overflow.
  if (frame_cells == 0 || frames_per_1000_s <= kMax * 1000 / frame_cells) return std::nullopt;
  return fmt::format("{} frames in 1000 s of {} octets need more than {} cells/s: {}",
                     frames_per_1000_s, frame_octets, kMax, kWhyContractFieldMax);
}

void declare_service_options(config::OptionSet& set, ServiceOptions& options,
                             const std::string& prefix) {
  set.add_string(
      "service-class", &options.name, "",
      (prefix.empty() ? "A" : prefix + "a") +
          " service of the QOSMapper's catalogue by its name, which the options below may "
          "change; or video, voice, data or constant, with all of its numbers. Frame rate "
          "and frame size go with it.");
  set.add_double("peak-to-mean", &options.peak_to_mean, 0, {0, 1000},
                 "With --service-class video: largest frame over the mean; 0: not given.");
  set.add_uint(
      "burst-frames", &options.burst_frames, 0, contract_field_from(0),
      "With --service-class video, data: number of largest frames in a row; 0: not given.");
  set.add_uint("bits-per-s", &options.bits_per_s, 0, {0, 100'000'000'000},
               "With --service-class constant: bit rate of the frames; data: guaranteed bit rate; "
               "0: not given.");
  set.add_uint("peak-bits-per-s", &options.peak_bits_per_s, 0, {0, 100'000'000'000},
               "With --service-class data: peak bit rate; 0: not given.");
  set.add_double("frame-loss", &options.frame_loss, 0, {0, 1},
                 "With --service-class: share of the frames that may be lost; 0: not given.");
  set.add_double(
      "frame-delay-ms", &options.delay_ms, 0, {0, 3'600'000},
      "With --service-class, except data: milliseconds that a frame may take; 0: not given.");
  set.add_check([&set, &options]() -> std::optional<std::string> {
    if (options.name.size() > kServiceNameMax) {
      return fmt::format("option --service-class: a name of {} octets, at most {}",
                         options.name.size(), kServiceNameMax);
    }
    // A value that would be rounded to 0, which means "not given".
    if (options.frame_loss > 0 && down(options.frame_loss * 1e12) == 0) {
      return fmt::format("option --frame-loss {} is below 1e-12", options.frame_loss);
    }
    if (options.delay_ms > 0 && down(options.delay_ms * 1000) == 0) {
      return fmt::format("option --frame-delay-ms {} is below a microsecond", options.delay_ms);
    }
    if (!options.name.empty()) return std::nullopt;
    for (const char* const option : kGoWith) {
      if (set.given(option)) return fmt::format("option --{} needs --service-class", option);
    }
    return std::nullopt;
  });
}

ServiceTerms terms_of(const ServiceOptions& options, std::uint64_t frames_per_1000_s,
                      std::uint64_t frame_octets) {
  ServiceTerms terms;
  terms.name = options.name;
  terms.frames_per_1000_s = frames_per_1000_s;
  terms.frame_octets = frame_octets;
  terms.peak_to_mean = up(options.peak_to_mean * 1000);
  terms.burst_frames = options.burst_frames;
  terms.bits_per_s = options.bits_per_s;
  terms.peak_bits_per_s = options.peak_bits_per_s;
  terms.frame_loss = down(options.frame_loss * 1e12);
  terms.delay_us = down(options.delay_ms * 1000);
  return terms;
}

}  // namespace xbind
