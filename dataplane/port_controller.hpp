// The port controller of a Fairisle switch: a processor at the input of a port that forwards every
// cell in an interrupt routine ("Performance of the Fairisle port controller").
//
//   line ──▶ a cell every line_cell_ps() ──▶ buffer ──▶ processor ──▶ the switch
//                                            │ full        cell for each, burst to leave
//                                            ▼
//                                           lost
//
// A cell that finds the processor outside the routine interrupts it. The routine forwards cells
// until none waits, then leaves, for the time `burst`, in which nothing interrupts it: cells that
// come meanwhile wait, and bring it back at once. So a burst of b cells costs b * cell + burst; and
// a processor under more than that never has time for anything else, but leaves more seldom, down
// to the time of a cell alone for each.
//
// Everything follows from the times at which cells arrive: when a cell is forwarded, and whether it
// is lost, does not depend on how often the owner calls.
//
// Pure; the caller passes the time, which never goes back. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/port_controller_profile.hpp"

namespace xbind::dataplane {

// Free-running; of cells that have been forwarded. The time to leave counts with the cell that
// interrupted, so `busy` may be ahead of the clock by that.
struct PortControllerCounters {
  std::uint64_t forwarded = 0;
  std::uint64_t interrupts = 0;   // also of cells that came while the processor was leaving
  Duration busy{};                // of the processor
  std::uint64_t lost_line = 0;    // more came at a time than the line carries
  std::uint64_t lost_buffer = 0;  // came when the buffer was full

  friend bool operator==(const PortControllerCounters&, const PortControllerCounters&) = default;
};

class PortController {
 public:
  // `earlier`: where its counters begin.
  explicit PortController(const PortControllerProfile& profile,
                          const PortControllerCounters& earlier = {})
      : profile_(profile), line_cell_ps_(profile.line_cell_ps()), counters_(earlier) {}

  // A cell that has come to the end of the line at `now`, or as soon after it as the line's rate
  // allows. Idle cells are not passed here. False: it is lost.
  bool arrive(const Cell& cell, TimePoint now);
  // The cells that have been forwarded by `now`, in order, until `cells` is full. Returns their
  // number.
  std::size_t take(std::span<Cell> cells, TimePoint now);
  // When the next cell is forwarded; kNever: none waits.
  TimePoint next() const { return held_.empty() ? kNever : held_.front().due; }
  // Forgets the cells that wait; returns their number.
  std::size_t drop_all();

  std::size_t waiting() const { return held_.size(); }
  const PortControllerProfile& profile() const { return profile_; }
  const PortControllerCounters& counters() const { return counters_; }

  // Cells that may be late on the line: what an owner that was late reads at once.
  static constexpr std::size_t kLineCellsMax = 4'096;

 private:
  struct Held {
    TimePoint due;
    bool interrupt;  // it did not find the processor forwarding
    Cell cell;
  };

  // Sets arrived_ to when the line delivers its next cell. False: too many are late.
  bool cross_line(TimePoint now);

  PortControllerProfile profile_;
  std::uint64_t line_cell_ps_;
  TimePoint arrived_ = TimePoint::min();   // of the last cell
  std::uint64_t arrived_ps_ = 0;           // and picoseconds, 0 to 999
  TimePoint last_due_ = TimePoint::min();  // when the last cell was, or will be, forwarded
  std::deque<Held> held_;
  std::size_t forwarded_ = 0;  // of held_, from the front: forwarded when the last cell arrived
  PortControllerCounters counters_;
};

}  // namespace xbind::dataplane
