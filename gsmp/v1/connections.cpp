#include "gsmp/v1/connections.hpp"

#include "core/check.hpp"
#include "gsmp/messages/header_v1.hpp"

namespace xbind::gsmp::v1 {
namespace {

// The body shared by five messages.
struct Connection {
  std::uint32_t port_session = 0;
  PortId input_port;
  LabelField input_label;
  PortId output_port;
  LabelField output_label;
  std::uint16_t branches = 0;
  std::uint8_t priority = 0;
};

void write(const Header& header, const Connection& body, wire::Writer& out) {
  encode_header(header, out);
  out.u32(body.port_session);
  out.u32(body.input_port.value());
  encode_label(body.input_label, out);
  out.u32(body.output_port.value());
  encode_label(body.output_label, out);
  out.u16(body.branches);
  out.u8(0);
  out.u8(body.priority);
}

Decoded<Connection> read(std::span<const std::byte> octets) {
  wire::Reader in(octets);
  Connection body;
  body.port_session = in.u32();
  body.input_port = PortId(in.u32());
  body.input_label = decode_label(in);
  body.output_port = PortId(in.u32());
  body.output_label = decode_label(in);
  body.branches = in.u16();
  in.skip(1);
  body.priority = in.u8();
  if (const auto error = trouble(in, {}, octets.size())) return tl::make_unexpected(*error);
  return body;
}

void set_priority(QosFields& fields, std::uint8_t priority) {
  fields.input_selector = priority;
  fields.output_selector = priority;
}

std::uint8_t priority_of(const QosFields& fields) {
  return static_cast<std::uint8_t>(std::min(fields.output_selector, kPriorityMax));
}

}  // namespace

void encode(const AddBranch& message, wire::Writer& out) {
  write(message.header,
        {message.port_session, message.input_port, message.input_label, message.output_port,
         message.output_label, 0, priority_of(message)},
        out);
}

void encode(const DeleteBranches& message, wire::Writer& out) {
  XB_CHECK(message.elements.size() <= 1, message.elements.size());
  const DeleteElement element = message.elements.empty() ? DeleteElement{} : message.elements[0];
  Header header = message.header;
  if (element.error != FailureCode::kNone) header.code = element.error;
  write(header,
        {element.port_session, element.input_port, element.input_label, element.output_port,
         element.output_label, 0, 0},
        out);
}

void encode(const DeleteTree& message, wire::Writer& out) {
  write(message.header,
        {message.port_session, message.input_port, message.input_label, {}, {}, 0, 0}, out);
}

void encode(const VerifyTree& message, wire::Writer& out) {
  write(
      message.header,
      {message.port_session, message.input_port, message.input_label, {}, {}, message.branches, 0},
      out);
}

void encode(const DeleteAll& message, wire::Writer& out) {
  write(message.header, {message.port_session, message.port, {}, {}, {}, 0, 0}, out);
}

void encode(const MoveOutputBranch& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port_session);
  out.u32(message.input_port.value());
  encode_label(message.input_label, out);
  out.u32(message.old_output_port.value());
  encode_label(message.old_output_label, out);
  out.u32(message.new_output_port.value());
  encode_label(message.new_output_label, out);
  out.u24(0);
  out.u8(priority_of(message));
}

Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> octets) {
  const Decoded<Connection> body = read(octets);
  if (!body) return tl::make_unexpected(body.error());
  AddBranch out;
  out.header = header;
  out.port_session = body->port_session;
  out.input_port = body->input_port;
  out.input_label = body->input_label;
  out.output_port = body->output_port;
  out.output_label = body->output_label;
  set_priority(out, body->priority);
  return out;
}

Decoded<DeleteBranches> decode_delete_branch(const Header& header,
                                             std::span<const std::byte> octets) {
  const Decoded<Connection> body = read(octets);
  if (!body) return tl::make_unexpected(body.error());
  DeleteBranches out;
  out.header = header;
  DeleteElement element;
  if (header.result == ResultField::kFailure && header.code != FailureCode::kNone) {
    element.error = header.code;
    out.header.code = FailureCode::kGeneral;
  }
  element.port_session = body->port_session;
  element.input_port = body->input_port;
  element.input_label = body->input_label;
  element.output_port = body->output_port;
  element.output_label = body->output_label;
  out.elements.push_back(element);
  return out;
}

Decoded<DeleteTree> decode_delete_tree(const Header& header, std::span<const std::byte> octets) {
  const Decoded<Connection> body = read(octets);
  if (!body) return tl::make_unexpected(body.error());
  DeleteTree out;
  out.header = header;
  out.port_session = body->port_session;
  out.input_port = body->input_port;
  out.input_label = body->input_label;
  return out;
}

Decoded<VerifyTree> decode_verify_tree(const Header& header, std::span<const std::byte> octets) {
  const Decoded<Connection> body = read(octets);
  if (!body) return tl::make_unexpected(body.error());
  VerifyTree out;
  out.header = header;
  out.port_session = body->port_session;
  out.input_port = body->input_port;
  out.input_label = body->input_label;
  out.branches = body->branches;
  return out;
}

Decoded<DeleteAll> decode_delete_all(const Header& header, std::span<const std::byte> octets) {
  const Decoded<Connection> body = read(octets);
  if (!body) return tl::make_unexpected(body.error());
  DeleteAll out;
  out.header = header;
  out.port_session = body->port_session;
  out.port = body->input_port;
  return out;
}

Decoded<MoveOutputBranch> decode_move_branch(const Header& header,
                                             std::span<const std::byte> octets) {
  wire::Reader in(octets);
  MoveOutputBranch out;
  out.header = header;
  out.port_session = in.u32();
  out.input_port = PortId(in.u32());
  out.input_label = decode_label(in);
  out.old_output_port = PortId(in.u32());
  out.old_output_label = decode_label(in);
  out.new_output_port = PortId(in.u32());
  out.new_output_label = decode_label(in);
  in.skip(3);
  set_priority(out, in.u8());
  if (const auto error = trouble(in, {}, octets.size())) return tl::make_unexpected(*error);
  return out;
}

}  // namespace xbind::gsmp::v1
