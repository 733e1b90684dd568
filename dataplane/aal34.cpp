#include "dataplane/aal34.hpp"

#include <algorithm>
#include <utility>

#include "dataplane/oam/crc10.hpp"

namespace xbind::dataplane {
namespace {

enum class SegmentType : std::uint8_t { kContinuation = 0, kEnd = 1, kBegin = 2, kSingle = 3 };

constexpr std::size_t kCpcsOverhead = 8;  // header and trailer
constexpr std::size_t kSarHeader = 2;
constexpr std::size_t kSarTrailer = 2;
constexpr std::uint8_t kSequenceMask = 0xf;
constexpr std::uint8_t kAbort = 63;  // as the length of an end

std::uint16_t load_u16(const std::byte* octets) {
  return static_cast<std::uint16_t>(std::to_integer<std::uint32_t>(octets[0]) << 8 |
                                    std::to_integer<std::uint32_t>(octets[1]));
}

void store_u16(std::byte* octets, std::uint32_t value) {
  octets[0] = static_cast<std::byte>(value >> 8 & 0xff);
  octets[1] = static_cast<std::byte>(value & 0xff);
}

// Copies octets of several parts, one after the other.
class PartsReader {
 public:
  explicit PartsReader(std::initializer_list<std::span<const std::byte>> parts) : parts_(parts) {}

  // Returns how many octets there were.
  std::size_t copy(std::span<std::byte> to) {
    std::size_t copied = 0;
    for (std::span<const std::byte>& part : parts_) {
      const std::size_t taken = std::min(to.size() - copied, part.size());
      std::ranges::copy(part.first(taken), to.begin() + static_cast<std::ptrdiff_t>(copied));
      part = part.subspan(taken);
      copied += taken;
    }
    return copied;
  }

 private:
  std::vector<std::span<const std::byte>> parts_;
};

SegmentType type_of(std::size_t index, std::size_t count) {
  if (count == 1) return SegmentType::kSingle;
  if (index == 0) return SegmentType::kBegin;
  return index + 1 == count ? SegmentType::kEnd : SegmentType::kContinuation;
}

}  // namespace

struct Aal34Receiver::Segment {
  SegmentType type = SegmentType::kContinuation;
  std::uint8_t sequence = 0;
  std::uint16_t mid = 0;
  std::uint8_t length = 0;
  std::span<const std::byte> octets;

  // Begin and continuation are full; an end has at least the trailer, a single cell both ends of a
  // frame of four octets. All are multiples of four.
  bool length_good() const {
    switch (type) {
      case SegmentType::kBegin:
      case SegmentType::kContinuation: return length == kAal34SegmentOctets;
      case SegmentType::kEnd:
        return length >= 4 && length <= kAal34SegmentOctets && length % 4 == 0;
      case SegmentType::kSingle:
        return length > kCpcsOverhead && length <= kAal34SegmentOctets && length % 4 == 0;
    }
    return false;
  }
};

Result<void> aal34_segment(std::span<const std::byte> head, std::span<const std::byte> body,
                           const Aal34Sending& sending, std::vector<Cell>& cells) {
  const std::size_t octets = head.size() + body.size();
  if (octets == 0 || octets > kAal34FrameMax) {
    return fail(ErrorCode::kBadInput, "a frame of {} octets, AAL3/4 carries 1 to {}", octets,
                kAal34FrameMax);
  }
  std::array<std::byte, 4> before{};
  before[1] = std::byte{sending.tag};
  store_u16(before.data() + 2, static_cast<std::uint32_t>(octets));
  const std::array<std::byte, 3> pad{};
  std::array<std::byte, 4> behind = before;  // AL, Etag, length
  PartsReader source({before, head, body, std::span(pad).first((4 - octets % 4) % 4), behind});

  const std::size_t count = aal34_cells(octets);
  const std::size_t first = cells.size();
  cells.resize(first + count);
  for (std::size_t index = 0; index < count; ++index) {
    Cell& cell = cells[first + index];
    cell.header = cell_header(sending.vpi, sending.vci);
    const auto type = static_cast<std::uint32_t>(type_of(index, count));
    store_u16(cell.payload.data(), type << 14 |
                                       static_cast<std::uint32_t>(index & kSequenceMask) << 10 |
                                       (sending.mid & kMidMax));
    const std::size_t length =
        source.copy(std::span(cell.payload).subspan(kSarHeader, kAal34SegmentOctets));
    std::byte* trailer = cell.payload.data() + kPayloadOctets - kSarTrailer;
    store_u16(trailer, static_cast<std::uint32_t>(length) << 10);
    store_u16(trailer, static_cast<std::uint32_t>(length) << 10 | crc10(cell.payload));
  }
  return {};
}

Aal34Outcome Aal34Receiver::push(const Cell& cell, TimePoint now) {
  if (!cell.user_data()) return Aal34Outcome::kSkipped;
  Aal34Outcome outcome = Aal34Outcome::kCrcError;
  if (crc10(cell.payload) == 0) {
    const std::uint16_t header = load_u16(cell.payload.data());
    const std::uint16_t trailer = load_u16(cell.payload.data() + kPayloadOctets - kSarTrailer);
    Segment segment{.type = static_cast<SegmentType>(header >> 14),
                    .sequence = static_cast<std::uint8_t>(header >> 10 & kSequenceMask),
                    .mid = static_cast<std::uint16_t>(header & kMidMax),
                    .length = static_cast<std::uint8_t>(trailer >> 10),
                    .octets = {}};
    if (segment.type == SegmentType::kEnd && segment.length == kAbort) {
      in_transit_.erase(segment.mid);
      return Aal34Outcome::kSkipped;
    }
    outcome = Aal34Outcome::kSegmentError;
    if (segment.length_good()) {
      segment.octets = std::span(cell.payload).subspan(kSarHeader, segment.length);
      outcome = take(segment, now);
    } else {
      in_transit_.erase(segment.mid);
    }
  }
  if (outcome == Aal34Outcome::kFrame) {
    ++counters_.frames;
  } else if (outcome == Aal34Outcome::kNoRoom) {
    ++counters_.no_room;
  } else if (outcome != Aal34Outcome::kMore) {
    ++counters_.errors;
  }
  return outcome;
}

Aal34Outcome Aal34Receiver::take(const Segment& segment, TimePoint now) {
  switch (segment.type) {
    case SegmentType::kBegin: return begin(segment, now);
    case SegmentType::kSingle:
      if (in_transit_.erase(segment.mid) > 0) ++counters_.errors;
      return finish(segment.octets);
    case SegmentType::kContinuation:
    case SegmentType::kEnd: break;
  }
  return go_on(segment);
}

Aal34Outcome Aal34Receiver::begin(const Segment& segment, TimePoint now) {
  // A begin within a frame: the end of that frame was lost.
  if (in_transit_.erase(segment.mid) > 0) ++counters_.errors;
  if (in_transit_.size() >= options_.mids_max) expire(now);
  if (in_transit_.size() >= options_.mids_max) return Aal34Outcome::kNoRoom;
  Transit& transit = in_transit_[segment.mid];
  transit.octets.assign(segment.octets.begin(), segment.octets.end());
  transit.next = static_cast<std::uint8_t>((segment.sequence + 1) & kSequenceMask);
  transit.begun = now;
  return Aal34Outcome::kMore;
}

Aal34Outcome Aal34Receiver::go_on(const Segment& segment) {
  const auto found = in_transit_.find(segment.mid);
  if (found == in_transit_.end()) return Aal34Outcome::kUnexpected;
  Transit& transit = found->second;
  const auto drop = [&](Aal34Outcome why) {
    in_transit_.erase(found);
    return why;
  };
  if (segment.sequence != transit.next) return drop(Aal34Outcome::kSequenceError);
  if (transit.octets.size() + segment.length > options_.frame_octets_max + kCpcsOverhead + 3) {
    return drop(Aal34Outcome::kTooLong);
  }
  transit.octets.insert(transit.octets.end(), segment.octets.begin(), segment.octets.end());
  transit.next = static_cast<std::uint8_t>((transit.next + 1) & kSequenceMask);
  if (segment.type == SegmentType::kContinuation) return Aal34Outcome::kMore;
  std::swap(whole_, transit.octets);
  in_transit_.erase(found);
  return finish(whole_);
}

Aal34Outcome Aal34Receiver::finish(std::span<const std::byte> octets) {
  const std::byte* trailer = octets.data() + octets.size() - 4;
  if (octets[0] != std::byte{0} || octets[1] != trailer[1]) return Aal34Outcome::kTagError;
  const std::size_t length = load_u16(trailer + 2);
  const std::size_t room = octets.size() - kCpcsOverhead;
  if (length == 0 || length > room || room - length > 3 || length > options_.frame_octets_max ||
      load_u16(octets.data() + 2) < length) {
    return Aal34Outcome::kLengthError;
  }
  // A frame in one cell lies in the cell, which its caller may reuse.
  if (octets.data() != whole_.data()) whole_.assign(octets.begin(), octets.end());
  frame_ = std::span<const std::byte>(whole_).subspan(4, length);
  return Aal34Outcome::kFrame;
}

std::size_t Aal34Receiver::expire(TimePoint now) {
  if (options_.frame_timeout == Duration::zero()) return 0;
  const std::size_t dropped = std::erase_if(in_transit_, [&](const auto& one) {
    return now - one.second.begun > options_.frame_timeout;
  });
  counters_.timed_out += dropped;
  return dropped;
}

}  // namespace xbind::dataplane
