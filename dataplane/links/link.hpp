// One end of a line between two switches, or a switch and a host: sends and receives cells, in
// order and without waiting. The transport (a ring in memory, datagrams) is internal.
//
// Owned by a port of a SwitchFabric, or by a host; one thread at a time for each end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

struct FrameCounters;  // frame_line.hpp

// Free-running. A counter that does not apply to a kind of link stays 0.
struct LinkCounters {
  std::uint64_t cells_in = 0;      // passed to the owner
  std::uint64_t cells_out = 0;     // passed to the line
  std::uint64_t datagrams_in = 0;  // of any kind
  std::uint64_t datagrams_out = 0;
  std::uint64_t hec_corrected = 0;  // cells whose one wrong bit was corrected
  std::uint64_t hec_errors = 0;     // cells dropped for their header, on a CFR line for their CRC
  std::uint64_t malformed = 0;      // datagrams dropped for their format
  std::uint64_t foreign = 0;        // datagrams of another peer
  std::uint64_t out_of_order = 0;   // datagrams dropped because a later one had arrived
  std::uint64_t expired = 0;        // datagrams dropped because their time to live was 0
  std::uint64_t full = 0;           // times the line accepted less than was offered
  std::uint64_t cells_lost = 0;     // cells that the operating system refused for good
  std::uint64_t overrun = 0;        // cells dropped because too many waited for the owner
  // Of lines whose cells are frames (frame_line.hpp): cells of frames that the line dropped.
  std::uint64_t frame_cells_in = 0;   // that received frames would have become
  std::uint64_t frame_cells_out = 0;  // from the owner: no whole frame, or it did not leave

  friend bool operator==(const LinkCounters&, const LinkCounters&) = default;
};

class Link {
 public:
  virtual ~Link() = default;

  // Receives at most as many cells as `cells` holds. Returns their number.
  virtual std::size_t receive(std::span<Cell> cells) = 0;
  // Returns the number of cells accepted, from the front; the caller keeps the rest. Fewer than
  // all: the line is full, retry later.
  virtual std::size_t send(std::span<const Cell> cells) = 0;

  virtual const LinkCounters& counters() const = 0;
  // When receive() has something to do although nothing has arrived; kNever: it has not.
  virtual TimePoint next_due() const { return kNever; }
  // The highest VPI that a cell on the line can have: 255 with headers in UNI form.
  virtual std::uint32_t vpi_max() const { return kVpiMax; }

  // ----- of a line whose cells are frames; other lines ignore them -----
  // Null: the cells of this line are no frames.
  virtual const FrameCounters* frame_counters() const { return nullptr; }
  // Tells the line which labels have a call at its port. It must stay valid as long as the link.
  virtual void set_has_call(std::function<bool(std::uint32_t label)>) {}
};

}  // namespace xbind::dataplane
