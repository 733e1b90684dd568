// ATM adaptation layer 5 (ITU-T I.363.5): converts frames of 1 to 65535 octets to cells and back.
//
//   | frame 1..65535 | pad 0..47 | UU 1 | CPI 1 | length 2 | CRC-32 4 |     a multiple of 48 octets
//
// The last cell of a frame has the user-user bit in its PT. The CRC is that of Ethernet, but most
// significant bit first, over all octets before it. ISA-L computes it (crc32_ieee, which already
// applies the complements of I.363.5 at both ends).
//
// Pure. One thread at a time for each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "core/wire/writer.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

inline constexpr std::size_t kAal5TrailerOctets = 8;
inline constexpr std::size_t kAal5FrameMax = 65535;

// CRC of `octets`; `so_far` is the CRC of the octets before them, 0 at the start of a PDU.
std::uint32_t aal5_crc(std::span<const std::byte> octets, std::uint32_t so_far = 0);

// Number of cells for a frame of `octets`.
constexpr std::size_t aal5_cells(std::size_t octets) {
  return (octets + kAal5TrailerOctets + kPayloadOctets - 1) / kPayloadOctets;
}

struct Aal5Sending {
  std::uint16_t vpi = 0;
  std::uint16_t vci = 0;
  bool clp = false;      // of every cell
  std::uint8_t uu = 0;   // user to user, carried unchanged
  std::uint8_t cpi = 0;  // common part indicator: only 0 has a meaning
};

// Appends the cells of one frame. kBadInput: the frame is empty (a length of 0 means an abort) or
// longer than kAal5FrameMax; nothing is appended then.
Result<void> aal5_segment(std::span<const std::byte> frame, const Aal5Sending& sending,
                          std::vector<Cell>& cells);

// The same for a frame in two parts, `head` before `body`; one of them may be empty.
Result<void> aal5_segment(std::span<const std::byte> head, std::span<const std::byte> body,
                          const Aal5Sending& sending, std::vector<Cell>& cells);

enum class Aal5Outcome : std::uint8_t {
  kMore,         // stored; the frame continues
  kFrame,        // a frame is complete
  kSkipped,      // no user data (OAM, RM), or the rest of a frame that was too long
  kCrcError,     // the frame ended with a wrong CRC
  kLengthError,  // the CRC is right, but the length does not match the number of cells
  kAborted,      // the sender aborted the frame: length 0
  kTooLong,      // more cells than a frame of frame_octets_max; the rest is kSkipped
  kNoRoom,       // Aal5Receiver: no state left for another connection
};

struct Aal5Frame {
  std::span<const std::byte> octets;
  std::span<const std::byte> pdu;  // with pad and trailer
  std::uint8_t uu = 0;
  std::uint8_t cpi = 0;
  bool clp = false;         // of at least one cell
  bool congestion = false;  // EFCI of the last cell
};

// Reassembles the frames of one connection. Holds at most the cells of one frame.
class Aal5Reassembly {
 public:
  explicit Aal5Reassembly(std::size_t frame_octets_max = kAal5FrameMax);

  Aal5Outcome push(const Cell& cell);
  // Valid after kFrame, until the next push().
  const Aal5Frame& frame() const { return frame_; }
  // Octets of an incomplete frame.
  std::size_t pending() const { return whole_ ? 0 : buffer_.size(); }
  // Drops an incomplete frame; the next cell begins another one.
  void drop();

 private:
  Aal5Outcome finish(const Cell& last);

  std::size_t octets_max_;
  wire::Buffer buffer_;
  Aal5Frame frame_;
  bool whole_ = false;     // buffer_ holds the frame that frame() returns
  bool skipping_ = false;  // until the end of a frame that was too long
  bool clp_ = false;
};

}  // namespace xbind::dataplane
