#include "ovs/openflow/flow.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/wire/reader.hpp"
#include "ovs/openflow/multipart.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint32_t kNoBuffer = 0xffffffff;
constexpr std::uint16_t kInstructionApply = 4;
constexpr std::uint16_t kInstructionMeter = 6;
constexpr std::size_t kInstructionHeaderOctets = 4;
constexpr std::size_t kInstructionOctetsMin = 8;  // of those that are not of an experimenter
constexpr std::size_t kFlowModOctets = 40;        // between header and match
constexpr std::size_t kFlowEntryOctetsMin = 56;   // with an empty match

struct Instructions {
  std::optional<std::uint32_t> meter;
  Actions actions;
  bool foreign = false;
};

void encode_instructions(const std::optional<std::uint32_t>& meter, const Actions& actions,
                         wire::Writer& out) {
  if (meter) {
    wire::Room room = out.room(kInstructionOctetsMin);
    room.u16(kInstructionMeter);
    room.u16(kInstructionOctetsMin);
    room.u32(*meter);
  }
  if (actions.empty()) return;
  wire::Room room = out.room(kInstructionOctetsMin);
  room.u16(kInstructionApply);
  // If the length does not fit 16 bits, neither does the message: finish_message() finds that.
  room.u16(static_cast<std::uint16_t>(kInstructionOctetsMin + encoded_octets(actions)));
  encode(actions, out);
}

Decoded<Instructions> decode_instructions(wire::Reader in) {
  Instructions out;
  bool applied = false;
  while (in.remaining() != 0) {
    const auto available = static_cast<std::uint32_t>(in.remaining());
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.ok()) return refuse(Refusal::kInstructionLength, available);
    if (length < kInstructionOctetsMin || length % 8 != 0 || length > available)
      return refuse(Refusal::kInstructionLength, length);
    wire::Reader fields(in.bytes(length - kInstructionHeaderOctets));
    if (type == kInstructionMeter && !out.meter) {
      if (length != kInstructionOctetsMin) return refuse(Refusal::kInstructionLength, length);
      out.meter = fields.u32();
    } else if (type == kInstructionApply && !applied) {
      fields.skip(4);
      auto actions = decode_actions(fields.bytes(fields.remaining()));
      if (!actions) return tl::make_unexpected(actions.error());
      out.actions = *std::move(actions);
      applied = true;
    } else {
      out.foreign = true;
    }
  }
  return out;
}

Decoded<FlowStats> decode_flow(std::span<const std::byte> entry) {
  wire::Reader in(entry);
  FlowStats out;
  in.skip(2);  // the length of the entry
  out.table = in.u8();
  in.skip(1);
  out.duration_s = in.u32();
  out.duration_ns = in.u32();
  out.priority = in.u16();
  in.skip(4);  // timeouts
  out.flags = in.u16();
  in.skip(4);  // importance, padding
  out.cookie = in.u64();
  out.packets = in.u64();
  out.octets = in.u64();
  const auto match = decode_match(in);
  if (!match) return tl::make_unexpected(match.error());
  auto instructions = decode_instructions(in);
  if (!instructions) return tl::make_unexpected(instructions.error());
  out.match = *match;
  out.meter = instructions->meter;
  out.actions = std::move(instructions->actions);
  out.foreign = instructions->foreign;
  return out;
}

void encode_flow(const FlowStats& flow, wire::Writer& out) {
  XB_CHECK(!flow.foreign);
  const std::size_t start = out.size();
  out.u16(0);  // the length, below
  out.u8(flow.table);
  out.zeros(1);
  out.u32(flow.duration_s);
  out.u32(flow.duration_ns);
  out.u16(flow.priority);
  out.zeros(4);  // timeouts
  out.u16(flow.flags);
  out.zeros(4);  // importance, padding
  out.u64(flow.cookie);
  out.u64(flow.packets);
  out.u64(flow.octets);
  encode(flow.match, out);
  encode_instructions(flow.meter, flow.actions, out);
  out.patch_u16(start, static_cast<std::uint16_t>(out.size() - start));
}

}  // namespace

void encode(const FlowMod& message, std::uint32_t xid, wire::Buffer& out) {
  XB_CHECK(!message.foreign);
  const std::size_t start = begin_message(Type::kFlowMod, xid, out);
  wire::Writer writer(out);
  wire::Room room = writer.room(kFlowModOctets);
  room.u64(message.cookie);
  room.u64(message.cookie_mask);
  room.u8(message.table);
  room.u8(static_cast<std::uint8_t>(message.command));
  room.zeros(4);  // timeouts
  room.u16(message.priority);
  room.u32(kNoBuffer);
  room.u32(message.out_port);
  room.u32(message.out_group);
  room.u16(message.flags);
  room.zeros(2);  // importance
  encode(message.match, writer);
  encode_instructions(message.meter, message.actions, writer);
  finish_message(start, out);
}

Decoded<FlowMod> decode_flow_mod(std::span<const std::byte> body) {
  wire::Reader in(body);
  FlowMod out;
  out.cookie = in.u64();
  out.cookie_mask = in.u64();
  out.table = in.u8();
  const std::uint8_t command = in.u8();
  in.skip(4);  // timeouts
  out.priority = in.u16();
  in.skip(4);  // buffer
  out.out_port = in.u32();
  out.out_group = in.u32();
  out.flags = in.u16();
  in.skip(2);  // importance
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  if (command > static_cast<std::uint8_t>(FlowCommand::kDeleteStrict))
    return refuse(Refusal::kFlowCommand, command);
  out.command = static_cast<FlowCommand>(command);
  const auto match = decode_match(in);
  if (!match) return tl::make_unexpected(match.error());
  auto instructions = decode_instructions(in);
  if (!instructions) return tl::make_unexpected(instructions.error());
  out.match = *match;
  out.meter = instructions->meter;
  out.actions = std::move(instructions->actions);
  out.foreign = instructions->foreign;
  return out;
}

void encode(const FlowStatsRequest& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_request(MultipartType::kFlow, xid, out);
  wire::Writer writer(out);
  writer.u8(message.table);
  writer.zeros(3);
  writer.u32(message.out_port);
  writer.u32(message.out_group);
  writer.zeros(4);
  writer.u64(message.cookie);
  writer.u64(message.cookie_mask);
  encode(message.match, writer);
  finish_message(start, out);
}

Decoded<FlowStatsRequest> decode_flow_stats_request(std::span<const std::byte> entries) {
  wire::Reader in(entries);
  FlowStatsRequest out;
  out.table = in.u8();
  in.skip(3);
  out.out_port = in.u32();
  out.out_group = in.u32();
  in.skip(4);
  out.cookie = in.u64();
  out.cookie_mask = in.u64();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(entries.size()));
  const auto match = decode_match(in);
  if (!match) return tl::make_unexpected(match.error());
  out.match = *match;
  return out;
}

bool is_foreign(const FlowStats& flow) {
  return flow.foreign || flow.match.foreign || has_foreign(flow.actions);
}

void encode(const FlowStatsReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_reply(MultipartType::kFlow, message.more, xid, out);
  wire::Writer writer(out);
  for (const FlowStats& flow : message.flows) encode_flow(flow, writer);
  finish_message(start, out);
}

Decoded<FlowStatsReply> decode_flow_stats_reply(std::span<const std::byte> entries) {
  FlowStatsReply out;
  while (!entries.empty()) {
    const std::uint16_t length = wire::Reader(entries).u16();
    if (length < kFlowEntryOctetsMin || length > entries.size())
      return refuse(Refusal::kEntryLength, length);
    auto flow = decode_flow(entries.first(length));
    if (!flow) return tl::make_unexpected(flow.error());
    out.flows.push_back(*std::move(flow));
    entries = entries.subspan(length);
  }
  return out;
}

}  // namespace xbind::ovs::openflow
