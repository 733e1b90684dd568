#include "gsmp/messages/traffic_classes.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "gsmp/messages/schedulable_region.hpp"

namespace xbind::gsmp {
namespace {

template <class Name>
void put(const Selected<Name>& selected, wire::Writer& out) {
  for (unsigned number = 0; number < 16; ++number) {
    if (selected.has(static_cast<Name>(number))) out.u32(selected.values[number]);
  }
}

template <class Name>
void take(wire::Reader& in, Selected<Name>& selected) {
  for (unsigned number = 0; number < 16; ++number) {
    if (selected.has(static_cast<Name>(number))) selected.values[number] = in.u32();
  }
}

template <class Name>
std::string words(const Selected<Name>& selected) {
  std::string text;
  for (unsigned number = 0; number < 16; ++number) {
    const auto name = static_cast<Name>(number);
    if (selected.has(name)) text += fmt::format(" {} {}", to_string(name), selected.of(name));
  }
  return text;
}

template <class Name>
std::string names(std::uint16_t mask) {
  std::string text;
  for (unsigned number = 0; number < 16; ++number) {
    if ((mask & mask_bit(number)) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(static_cast<Name>(number)));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string to_string(TrafficKind kind) {
  switch (kind) {
    case TrafficKind::kCbr: return "cbr";
    case TrafficKind::kVideo: return "video";
    case TrafficKind::kVoice: return "voice";
    case TrafficKind::kAudio: return "audio";
  }
  return fmt::format("kind {}", static_cast<unsigned>(kind));
}

std::string to_string(TrafficParameter parameter) {
  switch (parameter) {
    case TrafficParameter::kPcr: return "pcr";
    case TrafficParameter::kScr: return "scr";
    case TrafficParameter::kMbs: return "mbs";
    case TrafficParameter::kCdvt: return "cdvt";
  }
  return fmt::format("parameter {}", static_cast<unsigned>(parameter));
}

std::string to_string(QosParameter parameter) {
  switch (parameter) {
    case QosParameter::kCtdMax: return "ctd max";
    case QosParameter::kCtdAverage: return "ctd average";
    case QosParameter::kClr: return "clr exponent";
    case QosParameter::kGapLoss: return "gap loss";
    case QosParameter::kCdv: return "cdv";
  }
  return fmt::format("qos parameter {}", static_cast<unsigned>(parameter));
}

void encode(const ParameterSupport& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  const unsigned estimator = static_cast<unsigned>(message.estimator) & 0xf;
  out.u16(static_cast<std::uint16_t>(estimator << 12));
  out.u16(message.kinds);
  out.u16(message.traffic_parameters);
  out.u16(message.qos_parameters);
  finish_message(out, start);
}

void encode(const TrafficClasses& message, wire::Writer& out) {
  XB_CHECK(message.classes.size() <= kTrafficClassesMax, message.classes.size());
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u32((message.all_ports ? 0x80000000U : 0U) |
          static_cast<std::uint32_t>(message.classes.size()));
  for (const TrafficClass& one : message.classes) {
    const unsigned kind = static_cast<unsigned>(one.kind) & 0x1f;
    out.u16(static_cast<std::uint16_t>((one.buffer & 0x7ffU) << 5 | kind));
    out.u16(one.traffic.mask);
    out.u16(one.qos.mask);
    out.u16(0);
    put(one.traffic, out);
    put(one.qos, out);
  }
  finish_message(out, start);
}

Decoded<ParameterSupport> decode_parameter_support(const Header& header,
                                                   std::span<const std::byte> body) {
  wire::Reader in(body);
  ParameterSupport out;
  out.header = header;
  out.estimator = static_cast<Estimator>(in.u16() >> 12);
  out.kinds = in.u16();
  out.traffic_parameters = in.u16();
  out.qos_parameters = in.u16();
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<TrafficClasses> decode_traffic_classes(const Header& header,
                                               std::span<const std::byte> body) {
  wire::Reader in(body);
  TrafficClasses out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  const std::uint32_t word = in.u32();
  out.all_ports = (word & 0x80000000) != 0;
  out.classes.resize(word & kTrafficClassesMax);
  for (TrafficClass& one : out.classes) {
    const std::uint16_t buffer_and_kind = in.u16();
    one.buffer = static_cast<std::uint16_t>(buffer_and_kind >> 5);
    one.kind = static_cast<TrafficKind>(buffer_and_kind & 0x1f);
    one.traffic.mask = in.u16();
    one.qos.mask = in.u16();
    in.skip(2);
    take(in, one.traffic);
    take(in, one.qos);
  }
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const ParameterSupport& message) {
  return fmt::format("{}: {}; kinds {}; traffic {}; qos {}", to_string(message.header),
                     to_string(message.estimator), names<TrafficKind>(message.kinds),
                     names<TrafficParameter>(message.traffic_parameters),
                     names<QosParameter>(message.qos_parameters));
}

std::string to_string(const TrafficClasses& message) {
  std::string text = fmt::format(
      "{}: port {} session 0x{:08x}{}, {} classes", to_string(message.header), message.port,
      message.port_session, message.all_ports ? " and all others" : "", message.classes.size());
  for (const TrafficClass& one : message.classes) {
    text += fmt::format("; buffer {} {}{},{}", one.buffer, to_string(one.kind), words(one.traffic),
                        one.qos.mask == 0 ? " no qos" : words(one.qos));
  }
  return text;
}

}  // namespace xbind::gsmp
