#include "gsmp/messages/schedulable_region_messages.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace xbind::gsmp {

void encode(const SchedulableRegionMessage& message, wire::Writer& out) {
  const SchedulableRegion& region = message.region;
  XB_CHECK(region.classes <= kTrafficClassesMax && region.any_of.size() <= kPlanesMax &&
               region.all_of.size() <= kPlanesMax,
           region.classes, region.any_of.size(), region.all_of.size());
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u16(region.classes);
  out.u8(static_cast<std::uint8_t>(region.any_of.size()));
  out.u8(static_cast<std::uint8_t>(region.all_of.size()));
  for (const auto* planes : {&region.any_of, &region.all_of}) {
    for (const Plane& plane : *planes) {
      for (std::size_t j = 0; j < region.classes; ++j) out.u32(plane[j]);
    }
  }
  finish_message(out, start);
}

Decoded<SchedulableRegionMessage> decode_schedulable_region(const Header& header,
                                                            std::span<const std::byte> body) {
  wire::Reader in(body);
  SchedulableRegionMessage out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  SchedulableRegion& region = out.region;
  region.classes = static_cast<std::uint8_t>(in.u16() & kTrafficClassesMax);
  const std::size_t any_of = in.u8();
  const std::size_t all_of = in.u8();
  // Check before allocating: the peer's counts are not trusted.
  if ((any_of + all_of) * region.classes * 4 > in.remaining()) {
    return refuse(Refusal::kElementCount, static_cast<std::uint32_t>(any_of + all_of));
  }
  region.any_of.resize(any_of);
  region.all_of.resize(all_of);
  for (auto* planes : {&region.any_of, &region.all_of}) {
    for (Plane& plane : *planes) {
      for (std::size_t j = 0; j < region.classes; ++j) plane[j] = in.u32();
    }
  }
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const SchedulableRegionMessage& message) {
  return fmt::format("{}: port {} session 0x{:08x}, {}", to_string(message.header), message.port,
                     message.port_session, to_string(message.region));
}

}  // namespace xbind::gsmp
