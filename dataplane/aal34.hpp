// ATM adaptation layer 3/4 (ITU-T I.363.3): frames of 1 to 65535 octets to cells and back, several
// frames at a time on one connection.
//
//   CPCS   | CPI 1 | Btag 1 | BAsize 2 | frame | pad 0..3 | AL 1 | Etag 1 | length 2 |
//   SAR    | ST 2, SN 4, MID 10 bits | 44 octets of it | LI 6, CRC-10 10 bits |       one cell
//
// ST is the type of segment: begin, continuation, end, or a frame in one cell. SN counts the cells
// of a frame. MID tells the frames apart that are in transit at the same time. Btag equals Etag;
// together with the length they notice a frame made of the begin of one and the end of another.
//
// Pure; the caller passes the time. One thread at a time for each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/cells/timers.hpp"

namespace xbind::dataplane {

inline constexpr std::size_t kAal34FrameMax = 65'535;
inline constexpr std::size_t kAal34SegmentOctets = 44;
inline constexpr std::uint16_t kMidMax = 1023;

// Number of cells for a frame of `octets`.
constexpr std::size_t aal34_cells(std::size_t octets) {
  const std::size_t padded = (octets + 3) / 4 * 4 + 8;
  return (padded + kAal34SegmentOctets - 1) / kAal34SegmentOctets;
}

struct Aal34Sending {
  std::uint16_t vpi = 0;
  std::uint16_t vci = 0;
  std::uint16_t mid = 0;  // 0..kMidMax, of no other frame in transit
  std::uint8_t tag = 0;   // differs from that of the frame before
};

// Appends the cells of one frame, `head` before `body`; one of them may be empty. kBadInput: the
// frame is empty or longer than kAal34FrameMax; nothing is appended then.
Result<void> aal34_segment(std::span<const std::byte> head, std::span<const std::byte> body,
                           const Aal34Sending& sending, std::vector<Cell>& cells);

enum class Aal34Outcome : std::uint8_t {
  kMore,           // stored; the frame continues
  kFrame,          // a frame is complete
  kSkipped,        // no user data, or the sender aborted the frame
  kCrcError,       // of the cell
  kSegmentError,   // a cell with a length that its type does not have
  kUnexpected,     // a continuation or end without a begin, or a begin within a frame
  kSequenceError,  // a cell was lost or came twice
  kTagError,       // Btag and Etag differ
  kLengthError,    // the length does not agree with the cells
  kTooLong,        // more cells than a frame of frame_octets_max
  kNoRoom,         // mids_max frames are in transit
};

// Free-running.
struct Aal34Counters {
  std::uint64_t frames = 0;
  std::uint64_t errors = 0;     // of every kind but kNoRoom; a lost cell may count several times
  std::uint64_t no_room = 0;    // frames
  std::uint64_t timed_out = 0;  // frames dropped for their age
};

struct Aal34ReceiverOptions {
  std::size_t frame_octets_max = kAal34FrameMax;
  std::size_t mids_max = 16;  // frames in transit
  // Time from the first cell of a frame to its last; 0: no limit.
  Duration frame_timeout = kDataplaneTimers["frame-timeout"];
};

// Reassembles the frames of one connection. `now` never goes back.
class Aal34Receiver {
 public:
  explicit Aal34Receiver(const Aal34ReceiverOptions& options) : options_(options) {}

  Aal34Outcome push(const Cell& cell, TimePoint now);
  // Valid after kFrame, until the next push() or expire().
  std::span<const std::byte> frame() const { return frame_; }
  // Drops frames older than frame_timeout. Returns their number.
  std::size_t expire(TimePoint now);

  const Aal34Counters& counters() const { return counters_; }

 private:
  struct Transit {
    wire::Buffer octets;
    std::uint8_t next = 0;  // sequence number
    TimePoint begun{};
  };
  struct Segment;

  Aal34Outcome take(const Segment& segment, TimePoint now);
  Aal34Outcome begin(const Segment& segment, TimePoint now);
  Aal34Outcome go_on(const Segment& segment);
  Aal34Outcome finish(std::span<const std::byte> octets);

  Aal34ReceiverOptions options_;
  std::unordered_map<std::uint16_t, Transit> in_transit_;  // by MID
  wire::Buffer whole_;                                     // the frame that was completed last
  std::span<const std::byte> frame_;
  Aal34Counters counters_;
};

}  // namespace xbind::dataplane
