#include "gsmp/messages/delete_branches.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {
namespace {

// The field has 4 bits, but codes go up to 80.
unsigned error_on_wire(FailureCode code) {
  const auto number = static_cast<std::uint8_t>(code);
  return number > 15 ? static_cast<std::uint8_t>(FailureCode::kUnspecified) : number;
}

}  // namespace

void encode_delete_branches(const Header& header, std::span<const DeleteElement> elements,
                            wire::Writer& out) {
  if (header.success()) elements = {};
  const std::size_t start = begin_message(out, header);
  out.u16(0);
  out.u16(static_cast<std::uint16_t>(elements.size()));
  wire::Room room = out.room(elements.size() * kDeleteElementOctets);
  for (const DeleteElement& element : elements) {
    room.u16(static_cast<std::uint16_t>(error_on_wire(element.error) << 12));
    room.u16(kDeleteElementOctets);
    room.u32(element.port_session);
    room.u32(element.input_port.value());
    room.u32(element.output_port.value());
    encode(element.input_label, room);
    encode(element.output_label, room);
  }
  finish_message(out, start);
}

void encode(const DeleteBranches& message, wire::Writer& out) {
  encode_delete_branches(message.header, message.elements, out);
}

Decoded<DeleteBranches> decode_delete_branches(const Header& header,
                                               std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  DeleteBranches out;
  out.header = header;
  in.skip(2);
  const std::uint16_t count = in.u16();
  // Check before allocating: the peer's count is not trusted.
  if (count * kDeleteElementOctets > in.remaining()) return refuse(Refusal::kElementCount, count);
  out.elements.resize(count);
  wire::Fields fields(in.bytes(count * kDeleteElementOctets));
  for (DeleteElement& element : out.elements) {
    element.error = static_cast<FailureCode>(fields.u16() >> 12);
    const std::uint16_t length = fields.u16();
    if (length != kDeleteElementOctets && length != kDeleteElementOctets - 4) {
      problem.note(Refusal::kElementLength, length);
    }
    element.port_session = fields.u32();
    element.input_port = PortId(fields.u32());
    element.output_port = PortId(fields.u32());
    element.input_label = decode_label(fields, problem);
    element.output_label = decode_label(fields, problem);
  }
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  if (header.success()) out.elements.clear();
  return out;
}

std::string to_string(const DeleteBranches& message) {
  std::string text =
      fmt::format("{}: {} elements", to_string(message.header), message.elements.size());
  for (const DeleteElement& element : message.elements) {
    text += fmt::format("; session 0x{:08x} {}:{} -> {}:{}", element.port_session,
                        element.input_port, to_string(element.input_label), element.output_port,
                        to_string(element.output_label));
    if (element.error != FailureCode::kNone) {
      text += fmt::format(" error {}", to_string(element.error));
    } else if (message.header.result == ResultField::kFailure) {
      text += " done";
    }
  }
  return text;
}

}  // namespace xbind::gsmp
