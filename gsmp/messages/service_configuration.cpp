#include "gsmp/messages/service_configuration.hpp"

#include <fmt/format.h>

#include <utility>

namespace xbind::gsmp {
namespace {

constexpr std::size_t kSetOctets = 12;
constexpr std::size_t kServiceFixedOctets = 4;

// Visits letter, TC flag and control, from the highest bits of Traffic Controls down.
template <class Set, class Visit>
void for_each_control(Set& set, const Visit& visit) {
  visit('U', kTcPolicing, set.policing);
  visit('D', kTcPacketDiscard, set.packet_discard);
  visit('I', kTcIngressShaping, set.ingress_shaping);
  visit('E', kTcEgressPeakShaping, set.egress_peak_shaping);
  visit('S', kTcEgressSustainableShaping, set.egress_sustainable_shaping);
  visit('V', kTcVcMerge, set.vc_merge);
}

void put(const CapabilitySet& set, wire::Writer& out) {
  out.u16(set.id);
  unsigned controls = 0;
  for_each_control(set, [&](char, std::uint8_t, TrafficControl control) {
    controls = controls << 2 | static_cast<unsigned>(control);
  });
  out.u16(static_cast<std::uint16_t>(controls << 4));
  out.u8(set.clr);
  out.u24(set.ctd_us);
  out.u8(set.frequency);
  out.u24(set.cdv_us);
}

CapabilitySet take(wire::Reader& in) {
  CapabilitySet set;
  set.id = in.u16();
  unsigned controls = in.u16();
  for_each_control(set, [&](char, std::uint8_t, TrafficControl& control) {
    control = static_cast<TrafficControl>(controls >> 14 & 0x3);
    controls <<= 2;
  });
  set.clr = in.u8();
  set.ctd_us = in.u24();
  set.frequency = in.u8();
  set.cdv_us = in.u24();
  return set;
}

std::string words(const CapabilitySet& set) {
  std::string text = fmt::format(" capset {}", set.id);
  for_each_control(set, [&](char letter, std::uint8_t, TrafficControl control) {
    switch (control) {
      case TrafficControl::kNo: return;
      case TrafficControl::kAlways: text += fmt::format(" {} always", letter); return;
      case TrafficControl::kPerConnection:
        text += fmt::format(" {} per connection", letter);
        return;
    }
    text += fmt::format(" {} {}", letter, static_cast<unsigned>(control));
  });
  text += set.clr == kClrNone ? " no clr" : fmt::format(" clr 1e-{}", set.clr);
  return text + fmt::format(" ctd {} us cdv {} us", set.ctd_us, set.cdv_us) +
         (set.frequency == 0 ? "" : fmt::format(" frequency {}", set.frequency));
}

}  // namespace

std::uint8_t flags_not_offered(const CapabilitySet& set, std::uint8_t tc_flags) {
  for_each_control(set, [&](char, std::uint8_t flag, TrafficControl control) {
    if (control == TrafficControl::kPerConnection) tc_flags &= static_cast<std::uint8_t>(~flag);
  });
  return tc_flags & static_cast<std::uint8_t>(~kTcIngressBlock);
}

void encode(const ServiceConfigurationRequest& message, wire::Writer& out) {
  finish_message(out, begin_message(out, message.header));
}

void encode(const ServiceConfiguration& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u16(0);
  out.u16(static_cast<std::uint16_t>(message.services.size()));
  for (const ServiceRecord& record : message.services) {
    out.u16(static_cast<std::uint16_t>(record.service));
    out.u16(static_cast<std::uint16_t>(record.sets.size()));
    for (const CapabilitySet& set : record.sets) put(set, out);
  }
  finish_message(out, start);
}

Decoded<ServiceConfigurationRequest> decode_service_configuration_request(
    const Header& header, std::span<const std::byte>) {
  return ServiceConfigurationRequest{header};
}

Decoded<ServiceConfiguration> decode_service_configuration(const Header& header,
                                                           std::span<const std::byte> body) {
  wire::Reader in(body);
  ServiceConfiguration out;
  out.header = header;
  in.skip(2);
  const std::uint16_t count = in.u16();
  // Check before allocating: the peer's counts are not trusted.
  if (count * kServiceFixedOctets > in.remaining()) return refuse(Refusal::kElementCount, count);
  out.services.resize(count);
  for (ServiceRecord& record : out.services) {
    record.service = static_cast<ServiceId>(in.u16());
    const std::uint16_t sets = in.u16();
    if (sets * kSetOctets > in.remaining()) return refuse(Refusal::kElementCount, sets);
    record.sets.resize(sets);
    for (CapabilitySet& set : record.sets) set = take(in);
  }
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const ServiceConfigurationRequest& message) {
  return to_string(message.header);
}

std::string to_string(const ServiceConfiguration& message) {
  std::string text =
      fmt::format("{}: {} services", to_string(message.header), message.services.size());
  for (const ServiceRecord& record : message.services) {
    text += fmt::format("; {}", to_string(record.service));
    for (const CapabilitySet& set : record.sets) text += words(set);
  }
  return text;
}

}  // namespace xbind::gsmp
