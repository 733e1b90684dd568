#include "gsmp/messages/all_ports_configuration.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const AllPortsRequest& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(0);
  finish_message(out, start);
}

void encode(const AllPortsPart& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u16(0);
  out.u16(message.total);
  for (const PortRecord& record : message.records) encode(record, out);
  finish_message(out, start);
}

Decoded<AllPortsRequest> decode_all_ports_request(const Header& header,
                                                  std::span<const std::byte>) {
  return AllPortsRequest{header};
}

Decoded<AllPortsPart> decode_all_ports_part(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  AllPortsPart out;
  out.header = header;
  in.skip(2);
  out.total = in.u16();
  while (in.ok() && in.remaining() > 0 && !problem.first()) {
    out.records.push_back(decode_port_record(in, problem));
  }
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const AllPortsRequest& message) { return to_string(message.header); }

std::string to_string(const AllPortsPart& message) {
  std::string text = fmt::format("{}: {} of {} ports", to_string(message.header),
                                 message.records.size(), message.total);
  for (const PortRecord& record : message.records) text += "; " + to_string(record);
  return text;
}

}  // namespace xbind::gsmp
