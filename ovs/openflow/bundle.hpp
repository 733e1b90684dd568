// Bundles (section 7.3.9): messages that the switch applies all together or not at all. Open the
// bundle, add messages, commit; the switch answers each control message with its reply, or with an
// Error.
//
//   BundleControl: | header 8 | bundle id 4 | type 2 | flags 2 |
//   BundleAdd:     | header 8 | bundle id 4 | 0 2 | flags 2 | message |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"
#include "ovs/openflow/header.hpp"

namespace xbind::ovs::openflow {

inline constexpr std::uint16_t kBundleAtomic = 1;   // no packet sees a part of the changes
inline constexpr std::uint16_t kBundleOrdered = 2;  // applied in the order in which they were added

enum class BundleType : std::uint16_t {
  kOpenRequest = 0,
  kOpenReply = 1,
  kCloseRequest = 2,
  kCloseReply = 3,
  kCommitRequest = 4,
  kCommitReply = 5,
  kDiscardRequest = 6,
  kDiscardReply = 7,
};

struct BundleControl {
  std::uint32_t id = 0;  // chosen by the controller, unique in its connection
  BundleType type = BundleType::kOpenRequest;
  std::uint16_t flags = kBundleAtomic;  // the same in all messages of a bundle

  friend bool operator==(const BundleControl&, const BundleControl&) = default;
};

void encode(const BundleControl& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated, kBundleType. Properties are not read.
Decoded<BundleControl> decode_bundle_control(std::span<const std::byte> body);

// A message inside its bundle. Has no answer but an Error.
struct BundleAdd {
  std::uint32_t id = 0;
  std::uint16_t flags = kBundleAtomic;
  std::vector<std::byte> message{};  // with its header; its xid must be that of the BundleAdd

  friend bool operator==(const BundleAdd&, const BundleAdd&) = default;
};

void encode(const BundleAdd& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated, kVersion, kHeaderLength, kFrameLength (of the inner message). Properties are
// not read.
Decoded<BundleAdd> decode_bundle_add(std::span<const std::byte> body);

// Appends the parts of a BundleAdd around a message that is encoded in place. Returns the offset
// for finish_message() (header.hpp).
std::size_t begin_bundle_add(std::uint32_t id, std::uint16_t flags, std::uint32_t xid,
                             wire::Buffer& out);

// Appends a BundleAdd with `message`, for example a FlowMod, without a copy of its octets.
template <class M>
void encode_in_bundle(std::uint32_t id, std::uint16_t flags, const M& message, std::uint32_t xid,
                      wire::Buffer& out) {
  const std::size_t start = begin_bundle_add(id, flags, xid, out);
  encode(message, xid, out);
  finish_message(start, out);
}

}  // namespace xbind::ovs::openflow
