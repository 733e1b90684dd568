#include "callgen/media/media_cells.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "dataplane/aal5.hpp"

namespace xbind::callgen {
namespace {

using dataplane::get_u32;
using dataplane::kPayloadOctets;
using dataplane::put_u32;

constexpr std::uint32_t kMagic = 0x58424d43;  // "XBMC"
constexpr std::size_t kLastCellOctets = kPayloadOctets - dataplane::kAal5TrailerOctets;

void put_u64(std::byte* out, std::uint64_t value) {
  put_u32(out, static_cast<std::uint32_t>(value >> 32));
  put_u32(out + 4, static_cast<std::uint32_t>(value));
}
std::uint64_t get_u64(const std::byte* in) {
  return std::uint64_t{get_u32(in)} << 32 | get_u32(in + 4);
}

std::array<std::byte, kPayloadOctets> octets_of(const CellMark& mark) {
  std::array<std::byte, kPayloadOctets> octets{};
  put_u32(octets.data(), kMagic);
  put_u64(octets.data() + 4, mark.run);
  put_u64(octets.data() + 12, mark.call);
  put_u32(octets.data() + 20, mark.number);
  octets[24] = std::byte{mark.way};
  octets[25] = mark.after_release ? std::byte{1} : std::byte{0};
  for (std::size_t i = 26; i < octets.size(); ++i)
    octets[i] = static_cast<std::byte>(mark.number + i);
  return octets;
}

}  // namespace

std::vector<dataplane::Cell> marked_cells(CellMark mark, Label label) {
  const dataplane::Aal5Sending sending{.vpi = static_cast<std::uint16_t>(vpi_of(label)),
                                       .vci = static_cast<std::uint16_t>(vci_of(label))};
  const std::uint32_t count = mark.after_release ? kProbeCells : kCheckCells;
  const std::uint32_t long_from = mark.after_release ? count : count - kLongFrameCells;
  std::vector<dataplane::Cell> cells;
  std::vector<std::byte> frame;
  for (mark.number = 0; mark.number < count; ++mark.number) {
    const auto octets = octets_of(mark);
    const bool ends_frame = mark.number < long_from || mark.number + 1 == count;
    const std::size_t length = ends_frame ? kLastCellOctets : kPayloadOctets;
    frame.insert(frame.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(length));
    if (!ends_frame) continue;
    const auto segmented = dataplane::aal5_segment(frame, sending, cells);
    XB_CHECK(segmented.has_value(), frame.size());
    frame.clear();
  }
  XB_CHECK(cells.size() == count, cells.size(), count);
  return cells;
}

std::optional<CellMark> mark_of(const dataplane::Cell& cell) {
  const std::byte* const octets = cell.payload.data();
  if (get_u32(octets) != kMagic) return std::nullopt;
  CellMark mark;
  mark.run = get_u64(octets + 4);
  mark.call = get_u64(octets + 12);
  mark.number = get_u32(octets + 20);
  mark.way = std::to_integer<std::uint8_t>(octets[24]);
  mark.after_release = octets[25] != std::byte{0};
  return mark;
}

}  // namespace xbind::callgen
