#include "gsmp/framing.hpp"

#include "core/check.hpp"
#include "core/wire/reader.hpp"
#include "gsmp/messages/adjacency.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {
namespace {
// Frame header, Version, Message Type: enough to know the minimum length of the frame.
constexpr std::size_t kLookAhead = kFrameHeaderOctets + 2;
}  // namespace

std::size_t FrameReader::frame_octets(std::span<const std::byte> octets) {
  if (octets.size() < kFrameHeaderOctets) return 0;
  wire::Fields in(octets);  // as far as they have been found to go
  const std::uint16_t type = in.u16();
  const std::uint16_t length = in.u16();
  if (type != kFrameType) {
    broken_ = DecodeError{Refusal::kFrameType, type};
    return 0;
  }
  if (length < kHeaderOctets) {
    broken_ = DecodeError{Refusal::kFrameLength, length};
    return 0;
  }
  if (octets.size() < kLookAhead) return 0;
  in.skip(1);
  if (in.u8() == static_cast<std::uint8_t>(MessageType::kAdjacency) && length < kAdjacencyOctets) {
    broken_ = DecodeError{Refusal::kFrameLength, length};
    return 0;
  }
  return kFrameHeaderOctets + length;
}

std::size_t FrameReader::take(std::span<const std::byte> chunk) {
  const std::size_t known = frame_octets(pending_);
  const std::size_t wanted =
      known != 0 ? known : (pending_.size() < kFrameHeaderOctets ? kFrameHeaderOctets : kLookAhead);
  const std::size_t octets = std::min(wanted - pending_.size(), chunk.size());
  pending_.insert(pending_.end(), chunk.begin(),
                  chunk.begin() + static_cast<std::ptrdiff_t>(octets));
  return octets;
}

void stamp_request(wire::Buffer& out, std::size_t frame_start, std::uint8_t partition,
                   std::uint32_t transaction) {
  const std::size_t at = frame_start + kFrameHeaderOctets;
  XB_CHECK(at + kHeaderOctets <= out.size(), at, out.size());
  XB_CHECK(transaction != 0 && transaction <= kTransactionMax, transaction);
  out[at + 2] = static_cast<std::byte>(ResultField::kAckAll);
  out[at + 3] = std::byte{0};
  // In version 1.1 the transaction has 32 bits: its first octet is the partition of version 3.
  XB_CHECK(partition == 0 || out[at] != std::byte{v1::kVersion}, partition);
  out[at + 4] = static_cast<std::byte>(partition);
  out[at + 5] = static_cast<std::byte>(transaction >> 16);
  out[at + 6] = static_cast<std::byte>(transaction >> 8 & 0xff);
  out[at + 7] = static_cast<std::byte>(transaction & 0xff);
}

}  // namespace xbind::gsmp
