#include "dataplane/links/lsp.hpp"

#include <algorithm>

#include "dataplane/links/label_stack.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint8_t kFrameBit = 0x80;  // M
constexpr std::uint8_t kVciBit = 0x40;    // V
constexpr std::uint8_t kPtiAndC = 0x0f;

}  // namespace

bool has_lsp_label(const Cell& cell) {
  return lsp_label(cell) >= kMplsLabelMin && lsp_label(cell) <= kMplsLabelMax;
}

void encode_lsp(std::span<const Cell> cells, std::span<std::byte> octets) {
  put_u32(octets.data(), lsp_label(cells.front()) << 12 | kBottomOfStack | kTtl);
  std::byte* out = std::fill_n(octets.data() + 4, kLspOverhead - 4, std::byte{0});
  for (const Cell& cell : cells) {
    *out++ = static_cast<std::byte>(cell.header & kPtiAndC);
    out = std::copy(cell.payload.begin(), cell.payload.end(), out);
  }
}

LspVerdict decode_lsp(std::span<const std::byte> datagram, std::vector<Cell>& cells) {
  if (datagram.size() < lsp_octets(1) || datagram.size() > lsp_octets(kLspCellsMax) ||
      (datagram.size() - kLspOverhead) % kLspCellOctets != 0)
    return LspVerdict::kMalformed;
  const std::uint32_t entry = get_u32(datagram.data());
  const std::uint32_t label = entry >> 12;
  if ((entry & kBottomOfStack) == 0 || label < kMplsLabelMin) return LspVerdict::kMalformed;
  if ((entry & kTtl) == 0) return LspVerdict::kExpired;
  // Not a data control word.
  if (get_u32(datagram.data() + 4) >> 28 != 0) return LspVerdict::kMalformed;

  const std::size_t before = cells.size();
  for (auto in = datagram.subspan(kLspOverhead); !in.empty(); in = in.subspan(kLspCellOctets)) {
    const auto octet = std::to_integer<std::uint8_t>(in.front());
    if ((octet & (kFrameBit | kVciBit)) != 0) {
      cells.resize(before);
      return LspVerdict::kMalformed;
    }
    Cell& cell = cells.emplace_back();
    cell.header = label << 4 | (octet & kPtiAndC);
    std::copy_n(in.begin() + 1, kPayloadOctets, cell.payload.begin());
  }
  return LspVerdict::kCells;
}

}  // namespace xbind::dataplane
