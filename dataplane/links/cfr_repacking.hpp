// The two directions between ATM and the Cambridge Fast Ring: the payloads of 3 CFR cells are those
// of 2 ATM cells (the Fairisle paper, "Performance of the Fairisle port controller"). A VCI of the
// ring is the VCI of VPI 0; connections are independent of one another.
//
//   ATM   |     48     |     48     |         user-user bit: the frame ends with this cell
//   CFR   |   32   |   32   |   32   |        last: the frame ends with this cell
//
// It works for every adaptation layer: what waits for the rest of its cell leaves at once when the
// frame ends. A layer without frames has streams: what waits of them leaves after `wait`, to the
// ring as a half cell. ATM cells have no such mark, so what leaves there early is filled up with
// zeros. That would spoil a frame whose sender pauses; therefore what came from the ring since a
// first cell waits for the end of its frame.
//
//   k ATM cells ──▶ ceil(3k/2) CFR cells, the last one half if k is odd ──▶ k ATM cells
//
// so ATM to CFR to ATM is the identity, whatever other connections send in between. A frame that
// began on the ring gains up to 32 octets at its end unless its cells are a multiple of 3. A frame
// whose last cell was lost on the ring loses what waited of it when the next one begins; AAL5 then
// refuses both.
//
// The priority bit, the congestion bit and cells without user data (OAM, resource management) have
// no place in a CFR cell: the caller drops such cells.
//
// Memory: one entry for each direction of each VCI that has a frame or stream open, at most 2^16
// each. Pure; the caller passes the time, which never goes back. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/cells/cfr_cell.hpp"

namespace xbind::dataplane {

// Free-running.
struct CfrCounters {
  std::uint64_t half_cells = 0;    // sent to the ring after `wait`
  std::uint64_t filled_cells = 0;  // sent to ATM after `wait`
  std::uint64_t cut_frames = 0;    // from the ring: a frame began before the last one had ended
};

class CfrRepacking {
 public:
  explicit CfrRepacking(Duration wait) : wait_(wait) {}

  // A cell of user data with VPI 0: appends 1 or 2 cells for the ring.
  void to_ring(const Cell& cell, TimePoint now, std::vector<CfrCell>& out);
  // Appends at most 2 cells.
  void from_ring(const CfrCell& cell, TimePoint now, std::vector<Cell>& out);
  // Appends what has waited long enough by `now`.
  void expire(TimePoint now, std::vector<CfrCell>& to_ring, std::vector<Cell>& to_atm);
  // When expire() has something to do; kNever: nothing waits.
  TimePoint next_due() const;

  const CfrCounters& counters() const { return counters_; }
  std::size_t open() const { return to_ring_.open.size() + to_atm_.open.size(); }

 private:
  // What waits of a connection in one direction: less than a cell.
  struct Rest {
    std::array<std::byte, kPayloadOctets> octets{};
    std::size_t size = 0;
    bool begun = false;   // the next cell is not the first of its frame
    bool framed = false;  // from the ring, since a first cell: it does not leave early
    TimePoint since{};    // when its last octets came
    bool queued = false;  // in `due`
  };
  struct Way {
    std::unordered_map<std::uint16_t, Rest> open;
    std::deque<std::pair<TimePoint, std::uint16_t>> due;  // ascending; at most one for each entry
  };

  void keep(Way& way, std::uint16_t vci, std::span<const std::byte> left, TimePoint now);
  static void end_frame(Way& way, std::uint16_t vci);
  template <class Flush>
  void expire(Way& way, TimePoint now, Flush flush);
  CfrCell next_cell(std::uint16_t vci, Rest& rest, std::span<const std::byte> data) const;

  Duration wait_;
  Way to_ring_;
  Way to_atm_;
  CfrCounters counters_;
};

}  // namespace xbind::dataplane
