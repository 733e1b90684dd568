#include "traffic/atm_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traffic/aal5.hpp"
#include "traffic/contract.hpp"
#include "traffic/divided_up.hpp"

namespace xbind {
namespace {

constexpr std::uint64_t kThousand = 1000;
constexpr std::uint64_t kField = TrafficContract::kFieldMax;

Result<void> within(std::string_view what, std::uint64_t value, std::uint64_t least,
                    std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return fail(ErrorCode::kBadInput, "{} {} is not in {} to {}", what, value, least, most);
}

// Frames in 1000 s that carry `bits_per_s`, rounded up.
std::uint64_t frames_of_bits(std::uint64_t bits_per_s, std::uint64_t frame_octets) {
  return divided_up(bits_per_s * kThousand / 8 + (bits_per_s * kThousand % 8 != 0), frame_octets);
}

// Thousandths of a cell: an upper bound of the mean of C(L) over frames with this mean and no frame
// above the largest size.
std::uint64_t mean_cells_of(std::uint64_t mean_octets, std::uint64_t largest_octets) {
  const std::uint64_t most = aal5::cells_of_frame(largest_octets) * kThousand;
  if (mean_octets == largest_octets) return most;  // all frames are of this size
  const std::uint64_t tail = aal5::kTrailerOctets + aal5::kCellPayloadOctets - 1;
  if (largest_octets <= aal5::kPduPayloadMax) {
    return std::min(most, divided_up((mean_octets + tail) * kThousand, aal5::kCellPayloadOctets));
  }
  return std::min(most,
                  divided_up(mean_octets * aal5::kFullPduCells * kThousand, aal5::kPduPayloadMax) +
                      divided_up(tail * kThousand, aal5::kCellPayloadOctets));
}

Result<void> check_class(const UserService& s) {
  const bool by_frames = s.service == ServiceClass::kVideo || s.service == ServiceClass::kVoice;
  Result<void> good = within("frame octets", s.frame_octets, 1, kFrameOctetsMax);
  if (good && by_frames) {
    good = within("frames in 1000 s", s.frames_per_1000_s, 1, kFramesPer1000sMax);
  }
  if (good && !by_frames) {
    const std::uint64_t least = s.service == ServiceClass::kConstant ? 1 : 0;
    good = within("bits/s", s.bits_per_s, least, kBitsPerSMax);
  }
  if (good && s.peak_bits_per_s) {
    good = within("peak bits/s", *s.peak_bits_per_s, std::max<std::uint64_t>(1, s.bits_per_s),
                  kBitsPerSMax);
  }
  if (good) {
    good = within("peak to mean (thousandths)", s.peak_to_mean, kThousand,
                  s.service == ServiceClass::kVideo ? kPeakToMeanMax : kThousand);
  }
  if (good && s.at_once && s.service != ServiceClass::kVideo) {
    return fail(ErrorCode::kBadInput, "frames of {} do not come at once", to_string(s.service));
  }
  const bool bursts = s.service == ServiceClass::kVideo || s.service == ServiceClass::kData;
  if (good) good = within("burst frames", s.burst_frames, 1, bursts ? kField : 1);
  return good;
}

Result<void> check_asked(const UserService& s) {
  const bool timed = s.service == ServiceClass::kVoice || s.service == ServiceClass::kConstant;
  const bool best_effort = s.service == ServiceClass::kData && s.bits_per_s == 0;
  if (timed && !s.asked.delay_us) {
    return fail(ErrorCode::kBadInput, "{} needs a delay", to_string(s.service));
  }
  if (s.service == ServiceClass::kData && s.asked.delay_us) {
    return fail(ErrorCode::kBadInput, "no delay of {} us can be promised to data",
                *s.asked.delay_us);
  }
  if (best_effort && s.asked.frame_loss) {
    return fail(ErrorCode::kBadInput,
                "no frame loss of {} can be promised to data without a guaranteed rate",
                loss_text(*s.asked.frame_loss));
  }
  if (!best_effort && !s.asked.frame_loss) {
    return fail(ErrorCode::kBadInput, "{} needs a frame loss", to_string(s.service));
  }
  if (s.asked.frame_loss && (*s.asked.frame_loss == 0 || *s.asked.frame_loss >= kLossWhole)) {
    return fail(ErrorCode::kBadInput, "frame loss {} is not in 1e-12 to below 1",
                loss_text(*s.asked.frame_loss));
  }
  if (s.asked.delay_us) return within("delay in us", *s.asked.delay_us, 2, kDelayUsMax);
  return {};
}

// The rate at which frames of the largest size are sent: each must be sent before the next one is
// available, and within half of the delay that the user allows.
std::uint64_t peak_of(const UserService& s, const FrameShape& shape) {
  std::uint64_t peak = shape.largest_cells_per_s();
  if (s.at_once) peak = std::max(peak, kReferenceLineCellsPerS);
  if (!s.asked.delay_us) return peak;
  return std::max(peak, divided_up(shape.largest_cells * 2 * kMicroseconds, *s.asked.delay_us));
}

std::uint64_t peak_of_data(const UserService& s, const FrameShape& shape) {
  if (!s.peak_bits_per_s) return std::max(kReferenceLineCellsPerS, shape.mean_cells_per_s());
  const std::uint64_t frames = frames_of_bits(*s.peak_bits_per_s, s.frame_octets);
  return frames > kFramesPer1000sMax ? kField + 1
                                     : divided_up(frames * shape.largest_cells, kThousand);
}

ServiceCategory category_of(const UserService& s) {
  switch (s.service) {
    case ServiceClass::kVoice:
    case ServiceClass::kConstant: return ServiceCategory::kCbr;
    case ServiceClass::kData:
      return s.bits_per_s == 0 ? ServiceCategory::kUbr : ServiceCategory::kGfr;
    case ServiceClass::kVideo: break;
  }
  return s.asked.delay_us ? ServiceCategory::kRtVbr : ServiceCategory::kNrtVbr;
}

Result<TrafficContract> contract_of(const UserService& s, const FrameShape& shape) {
  const bool data = s.service == ServiceClass::kData;
  const std::uint64_t pcr = data ? peak_of_data(s, shape) : peak_of(s, shape);
  if (const auto good = within("PCR", pcr, 1, kField); !good) {
    return tl::make_unexpected(good.error());
  }
  TrafficContract contract;
  contract.category = category_of(s);
  contract.pcr_cells_per_s = static_cast<std::uint32_t>(pcr);
  contract.cdvt_us = cdvt_us_for(pcr);
  if (!has_guaranteed_rate(contract.category)) return contract;
  contract.guaranteed_cells_per_s = static_cast<std::uint32_t>(shape.mean_cells_per_s());
  contract.mbs_cells = static_cast<std::uint32_t>(shape.burst_frames * shape.largest_cells);
  if (data) contract.mfs_cells = static_cast<std::uint32_t>(shape.largest_cells);
  if (const auto fault = check(contract)) {
    return fail(ErrorCode::kBadInput, "{}", to_string(*fault));
  }
  return contract;
}

}  // namespace

std::string_view to_string(ServiceClass service) {
  switch (service) {
    case ServiceClass::kVideo: return "video";
    case ServiceClass::kVoice: return "voice";
    case ServiceClass::kData: return "data";
    case ServiceClass::kConstant: return "constant";
  }
  return "unknown class";
}

std::string loss_text(std::uint64_t loss) {
  return fmt::format("{:g}", static_cast<double>(loss) / static_cast<double>(kLossWhole));
}

std::uint64_t FrameShape::mean_cells_per_s() const {
  return divided_up(frames_per_1000_s * mean_cells, kThousand * kThousand);
}

std::uint64_t FrameShape::largest_cells_per_s() const {
  return divided_up(frames_per_1000_s * largest_cells, kThousand);
}

Result<FrameShape> frame_shape(const UserService& s) {
  if (const auto good = check_class(s); !good) return tl::make_unexpected(good.error());
  const std::uint64_t largest = divided_up(s.frame_octets * s.peak_to_mean, kThousand);
  FrameShape shape;
  shape.burst_frames = s.burst_frames;
  shape.largest_cells = aal5::cells_of_frame(largest);
  if (shape.largest_cells > kField) {
    return fail(ErrorCode::kBadInput, "the largest frame of {} octets is {} cells, the most is {}",
                largest, shape.largest_cells, kField);
  }
  if (shape.largest_cells * s.burst_frames > kField) {
    return fail(ErrorCode::kBadInput, "a burst of {} frames of {} cells is above {} cells",
                s.burst_frames, shape.largest_cells, kField);
  }
  shape.mean_cells = mean_cells_of(s.frame_octets, largest);
  const bool by_frames = s.service == ServiceClass::kVideo || s.service == ServiceClass::kVoice;
  shape.frames_per_1000_s =
      by_frames ? s.frames_per_1000_s : frames_of_bits(s.bits_per_s, s.frame_octets);
  if (shape.frames_per_1000_s > kFramesPer1000sMax) {
    return fail(ErrorCode::kBadInput, "{} bits/s in frames of {} octets are more than {} frames/s",
                s.bits_per_s, s.frame_octets, kFramesPer1000sMax / kThousand);
  }
  return shape;
}

Result<TrafficContract> contract_for(const UserService& s) {
  const Result<FrameShape> shape = frame_shape(s);
  if (!shape) return tl::make_unexpected(shape.error());
  return contract_of(s, *shape);
}

Result<AtmService> to_atm(const UserService& s) {
  const Result<FrameShape> shape = frame_shape(s);
  if (!shape) return tl::make_unexpected(shape.error());
  if (const auto good = check_asked(s); !good) return tl::make_unexpected(good.error());
  const Result<TrafficContract> contract = contract_of(s, *shape);
  if (!contract) return tl::make_unexpected(contract.error());
  AtmService mapped{*contract, {}};
  if (s.asked.frame_loss) {
    mapped.qos.clr = *s.asked.frame_loss * kThousand / shape->mean_cells;
    if (*mapped.qos.clr == 0) {
      return fail(ErrorCode::kBadInput,
                  "frame loss {} with {} cells a frame needs a CLR below 1e-12",
                  loss_text(*s.asked.frame_loss), divided_up(shape->mean_cells, kThousand));
    }
  }
  if (s.asked.delay_us) {
    const std::uint64_t sending = sending_delay_us(*shape, *contract);
    if (sending >= *s.asked.delay_us) {  // half of the delay, and rounding
      return fail(ErrorCode::kBadInput, "a delay of {} us is used up by {} us of sending",
                  *s.asked.delay_us, sending);
    }
    mapped.qos.ctd_us = *s.asked.delay_us - sending;
    const std::uint64_t interval = kThousand * kMicroseconds / shape->frames_per_1000_s;
    mapped.qos.cdv_us = std::min(*mapped.qos.ctd_us, interval);
  }
  return mapped;
}

std::uint64_t sending_delay_us(const FrameShape& shape, const TrafficContract& contract) {
  const std::uint64_t pcr = contract.pcr_cells_per_s;
  const bool sustained = has_guaranteed_rate(contract.category);
  const std::uint64_t scr = sustained ? contract.guaranteed_cells_per_s : pcr;
  // The time until the last of `cells` cells that are available at once has been sent.
  const auto sent_us = [&](std::uint64_t cells) {
    const std::uint64_t at_peak =
        sustained ? std::min<std::uint64_t>(cells, contract.mbs_cells) : cells;
    return divided_up(at_peak * kMicroseconds, pcr) +
           (cells > at_peak ? divided_up((cells - at_peak) * kMicroseconds, scr) : 0);
  };
  const std::uint64_t first = sent_us(shape.largest_cells);
  if (shape.burst_frames <= 1 || shape.frames_per_1000_s == 0) return first;
  // How much later than the first frame of a burst the last one is available.
  const std::uint64_t later =
      (shape.burst_frames - 1) * kThousand * kMicroseconds / shape.frames_per_1000_s;
  const std::uint64_t last = sent_us(shape.burst_frames * shape.largest_cells);
  return std::max(first, last > later ? last - later : 0);
}

Result<UserQos> to_user(const UserService& s, const AtmService& given) {
  const Result<FrameShape> shape = frame_shape(s);
  if (!shape) return tl::make_unexpected(shape.error());
  if (!given.contract.present()) return fail(ErrorCode::kBadInput, "there is no contract");
  if (const auto fault = check(given.contract)) {
    return fail(ErrorCode::kBadInput, "{}", to_string(*fault));
  }
  if (given.qos.clr.value_or(0) > kLossWhole) {
    return fail(ErrorCode::kBadInput, "CLR {} is above 1", loss_text(*given.qos.clr));
  }
  if (given.qos.ctd_us) {
    if (const auto good = within("CTD in us", *given.qos.ctd_us, 0, kDelayUsMax); !good) {
      return tl::make_unexpected(good.error());
    }
  }
  const bool sustained = has_guaranteed_rate(given.contract.category);
  const std::uint64_t rate =
      sustained ? given.contract.guaranteed_cells_per_s : given.contract.pcr_cells_per_s;
  if (rate < shape->mean_cells_per_s()) {
    return fail(ErrorCode::kBadInput, "{} of {} cells/s does not carry the mean of {} cells/s",
                sustained ? "the guaranteed rate" : "the PCR", rate, shape->mean_cells_per_s());
  }
  UserQos seen;
  if (given.qos.clr) {
    // The product with thousandths of a cell may overflow: multiply whole cells and the rest apart.
    const std::uint64_t per_frame =
        *given.qos.clr * (shape->mean_cells / kThousand) +
        divided_up(*given.qos.clr * (shape->mean_cells % kThousand), kThousand);
    seen.frame_loss = std::min(kLossWhole, per_frame);
  }
  if (given.qos.ctd_us) {
    seen.delay_us = *given.qos.ctd_us + sending_delay_us(*shape, given.contract);
  }
  return seen;
}

Result<NetworkQos> share_of_hop(const NetworkQos& whole, std::uint64_t hops) {
  if (const auto good = within("hops", hops, 1, kHopsMax); !good) {
    return tl::make_unexpected(good.error());
  }
  NetworkQos share;
  const auto part = [&](std::string_view what, const std::optional<std::uint64_t>& of,
                        std::optional<std::uint64_t>& to) -> Result<void> {
    if (!of) return {};
    to = *of / hops;
    if (*to != 0) return {};
    return fail(ErrorCode::kBadInput, "{} {} leaves nothing for each of {} hops", what, *of, hops);
  };
  Result<void> good = part("CLR (parts of 10^12)", whole.clr, share.clr);
  if (good) good = part("CTD in us", whole.ctd_us, share.ctd_us);
  if (good) good = part("CDV in us", whole.cdv_us, share.cdv_us);
  if (!good) return tl::make_unexpected(good.error());
  return share;
}

NetworkQos over_hops(std::span<const NetworkQos> hops) {
  NetworkQos whole{0, 0, 0};
  const auto add = [](std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& one) {
    if (!sum || !one) {
      sum.reset();
    } else {
      *sum = *one > UINT64_MAX - *sum ? UINT64_MAX : *sum + *one;
    }
  };
  for (const NetworkQos& hop : hops) {
    add(whole.clr, hop.clr);
    add(whole.ctd_us, hop.ctd_us);
    add(whole.cdv_us, hop.cdv_us);
  }
  if (whole.clr) whole.clr = std::min(*whole.clr, kLossWhole);
  return whole;
}

}  // namespace xbind
