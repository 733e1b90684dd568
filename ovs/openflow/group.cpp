#include "ovs/openflow/group.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/wire/reader.hpp"
#include "ovs/openflow/flow.hpp"
#include "ovs/openflow/header.hpp"
#include "ovs/openflow/multipart.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint8_t kGroupTypeAll = 0;
constexpr std::size_t kGroupModOctetsMin = kHeaderOctets + 8;
constexpr std::size_t kGroupEntryOctetsMin = 8;
constexpr std::size_t kBucketOctetsMin = 16;

void encode_buckets(const std::vector<Bucket>& buckets, wire::Writer& out) {
  for (const Bucket& bucket : buckets) {
    const std::size_t octets = kBucketOctetsMin + encoded_octets(bucket.actions);
    // If the length does not fit 16 bits, neither does the message: finish_message() finds that.
    out.u16(static_cast<std::uint16_t>(octets));
    out.u16(0);  // weight
    out.u32(kPortAny);
    out.u32(kGroupAny);
    out.zeros(4);
    encode(bucket.actions, out);
  }
}

// Sets `foreign` if a bucket depends on a port or group.
Decoded<std::vector<Bucket>> decode_buckets(wire::Reader& in, bool& foreign) {
  std::vector<Bucket> buckets;
  while (in.remaining() != 0) {
    const auto available = static_cast<std::uint32_t>(in.remaining());
    const std::uint16_t length = in.u16();
    if (length < kBucketOctetsMin || length % 8 != 0 || length > available)
      return refuse(Refusal::kBucketLength, length);
    in.skip(2);
    const std::uint32_t watch_port = in.u32();
    const std::uint32_t watch_group = in.u32();
    in.skip(4);
    auto actions = decode_actions(in.bytes(length - kBucketOctetsMin));
    if (!actions) return tl::make_unexpected(actions.error());
    if (watch_port != kPortAny || watch_group != kGroupAny) foreign = true;
    buckets.push_back({.actions = *std::move(actions)});
  }
  return buckets;
}

Decoded<GroupDesc> decode_group(std::span<const std::byte> entry) {
  wire::Reader in(entry);
  GroupDesc out;
  in.skip(2);  // the length of the entry
  out.foreign = in.u8() != kGroupTypeAll;
  in.skip(1);
  out.id = in.u32();
  auto buckets = decode_buckets(in, out.foreign);
  if (!buckets) return tl::make_unexpected(buckets.error());
  out.buckets = *std::move(buckets);
  return out;
}

}  // namespace

std::size_t encoded_octets(const GroupMod& message) {
  return std::accumulate(message.buckets.begin(), message.buckets.end(), kGroupModOctetsMin,
                         [](std::size_t octets, const Bucket& bucket) {
                           return octets + kBucketOctetsMin + encoded_octets(bucket.actions);
                         });
}

void encode(const GroupMod& message, std::uint32_t xid, wire::Buffer& out) {
  XB_CHECK(!message.foreign);
  const std::size_t start = begin_message(Type::kGroupMod, xid, out);
  wire::Writer writer(out);
  writer.u16(static_cast<std::uint16_t>(message.command));
  writer.u8(kGroupTypeAll);
  writer.zeros(1);
  writer.u32(message.id);
  encode_buckets(message.buckets, writer);
  finish_message(start, out);
}

Decoded<GroupMod> decode_group_mod(std::span<const std::byte> body) {
  wire::Reader in(body);
  GroupMod out;
  const std::uint16_t command = in.u16();
  out.foreign = in.u8() != kGroupTypeAll;
  in.skip(1);
  out.id = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  if (command > static_cast<std::uint16_t>(GroupCommand::kDelete))
    return refuse(Refusal::kGroupCommand, command);
  out.command = static_cast<GroupCommand>(command);
  auto buckets = decode_buckets(in, out.foreign);
  if (!buckets) return tl::make_unexpected(buckets.error());
  out.buckets = *std::move(buckets);
  return out;
}

void encode(const GroupDescRequest&, std::uint32_t xid, wire::Buffer& out) {
  finish_message(begin_request(MultipartType::kGroupDesc, xid, out), out);
}

void encode(const GroupDescReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_reply(MultipartType::kGroupDesc, message.more, xid, out);
  wire::Writer writer(out);
  for (const GroupDesc& group : message.groups) {
    XB_CHECK(!group.foreign);
    const std::size_t entry = writer.size();
    writer.u16(0);  // the length, below
    writer.u8(kGroupTypeAll);
    writer.zeros(1);
    writer.u32(group.id);
    encode_buckets(group.buckets, writer);
    writer.patch_u16(entry, static_cast<std::uint16_t>(writer.size() - entry));
  }
  finish_message(start, out);
}

Decoded<GroupDescReply> decode_group_desc_reply(std::span<const std::byte> entries) {
  GroupDescReply out;
  while (!entries.empty()) {
    const std::uint16_t length = wire::Reader(entries).u16();
    if (length < kGroupEntryOctetsMin || length > entries.size())
      return refuse(Refusal::kEntryLength, length);
    auto group = decode_group(entries.first(length));
    if (!group) return tl::make_unexpected(group.error());
    out.groups.push_back(*std::move(group));
    entries = entries.subspan(length);
  }
  return out;
}

}  // namespace xbind::ovs::openflow
