#include "gsmp/messages/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace xbind::gsmp {
namespace {

enum class Shape : std::uint8_t { kCellRate, kVariableRate, kGuaranteedFrameRate, kOther };

Shape shape_of(ServiceId service) {
  switch (service) {
    case ServiceId::kCbr1:
    case ServiceId::kUbr1:
    case ServiceId::kUbr2: return Shape::kCellRate;
    case ServiceId::kRtVbr1:
    case ServiceId::kRtVbr2:
    case ServiceId::kRtVbr3:
    case ServiceId::kNrtVbr1:
    case ServiceId::kNrtVbr2:
    case ServiceId::kNrtVbr3: return Shape::kVariableRate;
    case ServiceId::kGfr1:
    case ServiceId::kGfr2: return Shape::kGuaranteedFrameRate;
    case ServiceId::kIntServControlledLoad:
    case ServiceId::kMplsCrLdp:
    case ServiceId::kFrameRelay: break;
  }
  return Shape::kOther;
}

std::string_view name(ServiceId service) {
  switch (service) {
    case ServiceId::kCbr1: return "CBR.1";
    case ServiceId::kRtVbr1: return "rt-VBR.1";
    case ServiceId::kRtVbr2: return "rt-VBR.2";
    case ServiceId::kRtVbr3: return "rt-VBR.3";
    case ServiceId::kNrtVbr1: return "nrt-VBR.1";
    case ServiceId::kNrtVbr2: return "nrt-VBR.2";
    case ServiceId::kNrtVbr3: return "nrt-VBR.3";
    case ServiceId::kUbr1: return "UBR.1";
    case ServiceId::kUbr2: return "UBR.2";
    case ServiceId::kGfr1: return "GFR.1";
    case ServiceId::kGfr2: return "GFR.2";
    case ServiceId::kIntServControlledLoad: return "controlled load";
    case ServiceId::kMplsCrLdp: return "CR-LDP";
    case ServiceId::kFrameRelay: return "frame relay";
  }
  return {};
}

constexpr std::size_t kFlagsOctets = 4;

std::size_t octets_of(const CellRate&) { return 8; }
std::size_t octets_of(const VariableRate&) { return 16; }
std::size_t octets_of(const GuaranteedFrameRate&) { return 20; }
std::size_t octets_of(const OtherParameters& other) { return std::size_t{other.count} * 4; }

void put(const CellRate& rate, wire::Room& out) {
  out.u32(rate.pcr_cells_per_s & kTrafficFieldMax);
  out.u32(rate.cdvt_us & kTrafficFieldMax);
}
void put(const VariableRate& rate, wire::Room& out) {
  out.u32(rate.pcr_cells_per_s & kTrafficFieldMax);
  out.u32(rate.cdvt_us & kTrafficFieldMax);
  out.u32(rate.scr_cells_per_s & kTrafficFieldMax);
  out.u32(rate.mbs_cells & kTrafficFieldMax);
}
void put(const GuaranteedFrameRate& rate, wire::Room& out) {
  out.u32(rate.pcr_cells_per_s & kTrafficFieldMax);
  out.u32(rate.cdvt_us & kTrafficFieldMax);
  out.u32(rate.mcr_cells_per_s & kTrafficFieldMax);
  out.u32(rate.mbs_cells & kTrafficFieldMax);
  out.u32(rate.mfs_cells & kTrafficFieldMax);
}
void put(const OtherParameters& other, wire::Room& out) {
  for (std::size_t i = 0; i < other.count; ++i) out.u32(other.words[i]);
}

std::uint32_t field(wire::Reader& in) { return in.u32() & kTrafficFieldMax; }

OtherParameters other_parameters(wire::Reader& in, std::size_t words) {
  OtherParameters other;
  other.count = static_cast<std::uint8_t>(std::min(words, OtherParameters::kWordsMax));
  for (std::size_t i = 0; i < other.count; ++i) other.words[i] = in.u32();
  return other;
}

std::string words(const CellRate& rate) {
  return fmt::format("pcr {} cells/s cdvt {} us", rate.pcr_cells_per_s, rate.cdvt_us);
}
std::string words(const VariableRate& rate) {
  return fmt::format("pcr {} cells/s cdvt {} us scr {} cells/s mbs {} cells", rate.pcr_cells_per_s,
                     rate.cdvt_us, rate.scr_cells_per_s, rate.mbs_cells);
}
std::string words(const GuaranteedFrameRate& rate) {
  return fmt::format("pcr {} cells/s cdvt {} us mcr {} cells/s mbs {} cells mfs {} cells",
                     rate.pcr_cells_per_s, rate.cdvt_us, rate.mcr_cells_per_s, rate.mbs_cells,
                     rate.mfs_cells);
}
std::string words(const OtherParameters& other) {
  std::string text = "words";
  for (std::size_t i = 0; i < other.count; ++i) text += fmt::format(" {:08x}", other.words[i]);
  return text;
}

}  // namespace

std::string to_string(ServiceId service) {
  const std::string_view known = name(service);
  return known.empty() ? fmt::format("service {}", static_cast<unsigned>(service))
                       : std::string(known);
}

std::size_t block_octets(ServiceId service) {
  switch (shape_of(service)) {
    case Shape::kCellRate: return kFlagsOctets + 8;
    case Shape::kVariableRate: return kFlagsOctets + 16;
    case Shape::kGuaranteedFrameRate: return kFlagsOctets + 20;
    case Shape::kOther: break;
  }
  if (service == ServiceId::kIntServControlledLoad) return kFlagsOctets + 20;
  if (service == ServiceId::kMplsCrLdp) return kFlagsOctets + 24;
  return service == ServiceId::kFrameRelay ? kFlagsOctets + 12 : 0;
}

void encode(const TrafficBlock& block, std::uint8_t tc_flags, wire::Writer& out) {
  std::visit(
      [&](const auto& parameters) {
        wire::Room room = out.room(kFlagsOctets + octets_of(parameters));
        room.u32(std::uint32_t{tc_flags} << 24);
        put(parameters, room);
      },
      block.parameters);
}

TrafficBlock decode_traffic_block(wire::Reader& in, ServiceId service) {
  TrafficBlock block;
  block.tc_flags = static_cast<std::uint8_t>(in.u32() >> 24 & 0xfe & ~kTcIngressBlock);
  // A braced list evaluates its elements in order, so the fields are read in wire order.
  switch (shape_of(service)) {
    case Shape::kCellRate: block.parameters = CellRate{field(in), field(in)}; break;
    case Shape::kVariableRate:
      block.parameters = VariableRate{field(in), field(in), field(in), field(in)};
      break;
    case Shape::kGuaranteedFrameRate:
      block.parameters = GuaranteedFrameRate{field(in), field(in), field(in), field(in), field(in)};
      break;
    case Shape::kOther: {
      const std::size_t octets = block_octets(service);
      block.parameters =
          other_parameters(in, octets == 0 ? in.remaining() / 4 : (octets - kFlagsOctets) / 4);
      break;
    }
  }
  return block;
}

std::string to_string(const TrafficBlock& block) {
  std::string text;
  constexpr std::string_view kLetters = "UDIESVPx";
  for (std::size_t bit = 0; bit < kLetters.size(); ++bit) {
    if ((block.tc_flags << bit & 0x80) != 0) text += kLetters[bit];
  }
  if (!text.empty()) text = "tc " + text + ", ";
  return text +
         std::visit([](const auto& parameters) { return words(parameters); }, block.parameters);
}

}  // namespace xbind::gsmp
