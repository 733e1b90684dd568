#include "gsmp/messages/estimation_policy.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

std::string to_string(Estimator estimator) {
  switch (estimator) {
    case Estimator::kPeakRate: return "peak rate";
    case Estimator::kProprietary: return "proprietary";
  }
  return fmt::format("estimator {}", static_cast<unsigned>(estimator));
}

void encode(const EstimationSupport& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u16(message.estimators);
  out.u16(0);
  finish_message(out, start);
}

void encode(const EstimationPolicy& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  const unsigned estimator = static_cast<unsigned>(message.estimator) & 0xf;
  out.u32((message.all_ports ? 0x80000000U : 0U) | estimator << 16 |
          (message.update_threshold & 0xfffU));
  for (const std::uint32_t parameter : message.parameters) out.u32(parameter);
  finish_message(out, start);
}

Decoded<EstimationSupport> decode_estimation_support(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  EstimationSupport out;
  out.header = header;
  out.estimators = in.u16();
  in.skip(2);
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<EstimationPolicy> decode_estimation_policy(const Header& header,
                                                   std::span<const std::byte> body) {
  wire::Reader in(body);
  EstimationPolicy out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  const std::uint32_t word = in.u32();
  out.all_ports = (word & 0x80000000) != 0;
  out.estimator = static_cast<Estimator>(word >> 16 & 0xf);
  out.update_threshold = static_cast<std::uint16_t>(word & 0xfff);
  out.parameters.resize(in.remaining() / 4);
  for (std::uint32_t& parameter : out.parameters) parameter = in.u32();
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const EstimationSupport& message) {
  std::string text;
  for (unsigned number = 0; number < 16; ++number) {
    if (!message.has(static_cast<Estimator>(number))) continue;
    text +=
        fmt::format("{} {}", text.empty() ? "" : ",", to_string(static_cast<Estimator>(number)));
  }
  return fmt::format("{}:{}", to_string(message.header), text.empty() ? " no estimator" : text);
}

std::string to_string(const EstimationPolicy& message) {
  std::string text = fmt::format(
      "{}: port {} session 0x{:08x}{}, {}, update threshold {}.{:02} %", to_string(message.header),
      message.port, message.port_session, message.all_ports ? " and all others" : "",
      to_string(message.estimator), message.update_threshold / 100, message.update_threshold % 100);
  if (!message.parameters.empty()) text += ", parameters";
  for (const std::uint32_t parameter : message.parameters) text += fmt::format(" {}", parameter);
  return text;
}

}  // namespace xbind::gsmp
