#include "dataplane/cells/aal5_frame.hpp"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstring>

namespace xbind::dataplane {

std::uint32_t aal5_crc(std::span<const std::byte> octets, std::uint32_t so_far) {
  return crc32_ieee(so_far, reinterpret_cast<const unsigned char*>(octets.data()), octets.size());
}

Result<void> aal5_segment(std::span<const std::byte> frame, const Aal5Sending& sending,
                          std::vector<Cell>& cells) {
  return aal5_segment({}, frame, sending, cells);
}

Result<void> aal5_segment(std::span<const std::byte> head, std::span<const std::byte> body,
                          const Aal5Sending& sending, std::vector<Cell>& cells) {
  const std::size_t octets = head.size() + body.size();
  if (octets == 0 || octets > kAal5FrameMax) {
    return fail(ErrorCode::kBadInput, "a frame of {} octets, AAL5 carries 1 to {}", octets,
                kAal5FrameMax);
  }
  const std::size_t count = aal5_cells(octets);
  const std::size_t first = cells.size();
  cells.resize(first + count);

  std::span<const std::byte> parts[] = {head, body};
  for (std::size_t index = 0; index < count; ++index) {
    Cell& cell = cells[first + index];
    cell.header =
        cell_header(sending.vpi, sending.vci, index + 1 == count ? kPtUserUser : 0, sending.clp);
    std::byte* to = cell.payload.data();
    std::size_t free = kPayloadOctets;
    for (std::span<const std::byte>& part : parts) {
      const std::size_t taken = std::min(free, part.size());
      to = std::copy_n(part.begin(), taken, to);
      part = part.subspan(taken);
      free -= taken;
    }
  }

  std::byte* trailer = cells.back().payload.data() + kPayloadOctets - kAal5TrailerOctets;
  trailer[0] = std::byte{sending.uu};
  trailer[1] = std::byte{sending.cpi};
  trailer[2] = static_cast<std::byte>(octets >> 8);
  trailer[3] = static_cast<std::byte>(octets & 0xff);
  std::uint32_t crc = aal5_crc(body, aal5_crc(head));
  // The octets after the frame: the rest of the cell in which it ends and, if the trailer does not
  // fit there, one more cell.
  for (std::size_t index = octets / kPayloadOctets; index < count; ++index) {
    const std::size_t begin = index == octets / kPayloadOctets ? octets % kPayloadOctets : 0;
    const std::size_t end = index + 1 == count ? kPayloadOctets - 4 : kPayloadOctets;
    crc = aal5_crc(std::span(cells[first + index].payload).subspan(begin, end - begin), crc);
  }
  put_u32(trailer + 4, crc);
  return {};
}

Aal5Reassembly::Aal5Reassembly(std::size_t frame_octets_max)
    : octets_max_(aal5_cells(std::min(frame_octets_max, kAal5FrameMax)) * kPayloadOctets) {}

Aal5Outcome Aal5Reassembly::push(const Cell& cell) {
  if (!cell.user_data()) return Aal5Outcome::kSkipped;
  if (whole_) {
    buffer_.clear();
    whole_ = false;
  }
  const bool last = (cell.pt() & kPtUserUser) != 0;
  if (skipping_) {
    skipping_ = !last;
    return Aal5Outcome::kSkipped;
  }
  if (buffer_.empty()) clp_ = false;
  clp_ = clp_ || cell.clp();
  if (buffer_.size() + kPayloadOctets > octets_max_) {
    buffer_.clear();
    skipping_ = !last;
    return Aal5Outcome::kTooLong;
  }
  buffer_.insert(buffer_.end(), cell.payload.begin(), cell.payload.end());
  return last ? finish(cell) : Aal5Outcome::kMore;
}

Aal5Outcome Aal5Reassembly::finish(const Cell& last) {
  whole_ = true;
  const std::byte* trailer = buffer_.data() + buffer_.size() - kAal5TrailerOctets;
  // Check the CRC first: without it the length is meaningless.
  if (aal5_crc(std::span(buffer_).first(buffer_.size() - 4)) != get_u32(trailer + 4))
    return Aal5Outcome::kCrcError;
  const std::size_t length = get_u32(trailer) & 0xffff;
  if (length == 0) return Aal5Outcome::kAborted;
  if (aal5_cells(length) * kPayloadOctets != buffer_.size()) return Aal5Outcome::kLengthError;
  frame_ = {.octets = std::span(buffer_).first(length),
            .pdu = buffer_,
            .uu = std::to_integer<std::uint8_t>(trailer[0]),
            .cpi = std::to_integer<std::uint8_t>(trailer[1]),
            .clp = clp_,
            .congestion = (last.pt() & kPtCongestion) != 0};
  return Aal5Outcome::kFrame;
}

void Aal5Reassembly::drop() {
  buffer_.clear();
  whole_ = false;
}

}  // namespace xbind::dataplane
