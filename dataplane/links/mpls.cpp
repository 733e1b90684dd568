#include "dataplane/links/mpls.hpp"

#include <algorithm>

#include "dataplane/links/label_stack.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::size_t kControlWord = 4;

}  // namespace

void encode_mpls(std::span<const Cell> cells, std::uint32_t label, std::uint16_t sequence,
                 std::span<std::byte> octets) {
  put_u32(octets.data(), label << 12 | kBottomOfStack | kTtl);
  put_u32(octets.data() + 4, sequence);
  std::byte* out = octets.data() + kMplsOverhead;
  for (const Cell& cell : cells) {
    put_u32(out, cell.header);
    out = std::copy(cell.payload.begin(), cell.payload.end(), out + 4);
  }
}

std::optional<std::uint32_t> mpls_label(std::span<const std::byte> datagram) {
  if (datagram.size() < mpls_octets(1)) return std::nullopt;
  const std::uint32_t entry = get_u32(datagram.data());
  if ((entry & kBottomOfStack) == 0) return std::nullopt;
  return entry >> 12;
}

MplsVerdict MplsReceiver::decode(std::span<const std::byte> datagram, std::vector<Cell>& cells) {
  const auto label = mpls_label(datagram);
  if (!label) return MplsVerdict::kMalformed;
  if (*label != label_) return MplsVerdict::kForeign;
  if ((get_u32(datagram.data()) & kTtl) == 0) return MplsVerdict::kExpired;

  const std::uint32_t word = get_u32(datagram.data() + 4);
  if (word >> 28 != 0) return MplsVerdict::kMalformed;  // 1: an associated channel, not cells
  // If a lower layer pads short frames, the length field shows where the cells end.
  std::size_t size = datagram.size() - 4;
  if (const std::uint32_t length = word >> 16 & 0x3f; length != 0) {
    if (length > size) return MplsVerdict::kMalformed;
    size = length;
  }
  if (size < kControlWord + sizeof(Cell) || (size - kControlWord) % sizeof(Cell) != 0)
    return MplsVerdict::kMalformed;
  if (!in_order(static_cast<std::uint16_t>(word))) return MplsVerdict::kOutOfOrder;

  const std::byte* in = datagram.data() + kMplsOverhead;
  for (std::size_t count = (size - kControlWord) / sizeof(Cell); count > 0; --count) {
    Cell& cell = cells.emplace_back();
    cell.header = get_u32(in);
    std::copy_n(in + 4, kPayloadOctets, cell.payload.begin());
    in += sizeof(Cell);
  }
  return MplsVerdict::kCells;
}

bool MplsReceiver::in_order(std::uint16_t sequence) {
  if (sequence == 0) return true;
  const auto ahead = static_cast<std::uint16_t>(sequence - expected_);
  const bool behind = expected_ != 0 && ahead >= 0x8000;
  if (behind && sequence != 1 && ++behind_ <= kResyncAfter) return false;
  expected_ = next_sequence(sequence);
  behind_ = 0;
  return true;
}

}  // namespace xbind::dataplane
