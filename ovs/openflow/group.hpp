// Groups of type ALL (section 7.3.4.3): a copy of the packet passes through every bucket. Both
// watches are "any": no bucket depends on a port or group that is up.
//
//   GroupMod: | header 8 | command 2 | type 1 | 0 1 | group id 4 | buckets |
//   bucket:   | length 2 | weight 2 = 0 | watch port 4 | watch group 4 | 0 4 | actions |
//   GroupDesc, an entry of the multipart reply (7.3.5.10):
//             | length 2 | type 1 | 0 1 | group id 4 | buckets |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/action.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

// Buckets of one GroupMod whose actions have at most 32 octets each. For others encoded_octets()
// says whether the message fits.
inline constexpr std::size_t kSmallBucketsMax = 1364;

enum class GroupCommand : std::uint16_t { kAdd = 0, kModify = 1, kDelete = 2 };

struct Bucket {
  Actions actions{};

  friend bool operator==(const Bucket&, const Bucket&) = default;
};

struct GroupMod {
  GroupCommand command = GroupCommand::kAdd;
  std::uint32_t id = 0;           // 0 to kGroupMax; kGroupAll (flow.hpp) in delete only
  std::vector<Bucket> buckets{};  // none in delete
  bool foreign = false;           // decoded only: its type is not ALL, or a bucket has a watch

  friend bool operator==(const GroupMod&, const GroupMod&) = default;
};

// Octets that encode() appends. More than kMessageOctetsMax (header.hpp) cannot be sent: encode()
// treats that as a bug of the caller.
std::size_t encoded_octets(const GroupMod& message);
void encode(const GroupMod& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated, kGroupCommand, kBucketLength, kActionLength.
Decoded<GroupMod> decode_group_mod(std::span<const std::byte> body);

struct GroupDescRequest {
  friend bool operator==(const GroupDescRequest&, const GroupDescRequest&) = default;
};

void encode(const GroupDescRequest& message, std::uint32_t xid, wire::Buffer& out);

struct GroupDesc {
  std::uint32_t id = 0;
  std::vector<Bucket> buckets{};
  bool foreign = false;  // its type is not ALL, or a bucket has a watch

  friend bool operator==(const GroupDesc&, const GroupDesc&) = default;
};

struct GroupDescReply {
  bool more = false;                // another reply with this xid follows
  std::vector<GroupDesc> groups{};  // bounded by the length of a message

  friend bool operator==(const GroupDescReply&, const GroupDescReply&) = default;
};

void encode(const GroupDescReply& message, std::uint32_t xid, wire::Buffer& out);
// `entries`: the message behind the multipart header. `more` is left false. Refuses kTruncated,
// kEntryLength, kBucketLength, kActionLength.
Decoded<GroupDescReply> decode_group_desc_reply(std::span<const std::byte> entries);

}  // namespace xbind::ovs::openflow
