// One end of a line between two switches, or a switch and a host: cells in, cells out, in order,
// without waiting. What is under it (a ring in memory, datagrams) is its own business.
//
// Owned by a port of a SwitchFabric, or by a host; one thread at a time for each end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

// Free-running. What a kind of link cannot meet stays 0.
struct LinkCounters {
  std::uint64_t cells_in = 0;      // handed to the owner
  std::uint64_t cells_out = 0;     // handed to the line
  std::uint64_t datagrams_in = 0;  // of any kind
  std::uint64_t datagrams_out = 0;
  std::uint64_t hec_corrected = 0;  // cells with one wrong bit, mended
  std::uint64_t hec_errors = 0;     // cells dropped for their header
  std::uint64_t malformed = 0;      // datagrams dropped for their shape
  std::uint64_t foreign = 0;        // datagrams of another peer
  std::uint64_t out_of_order = 0;   // datagrams dropped for having been overtaken
  std::uint64_t expired = 0;        // datagrams dropped because their time to live was over
  std::uint64_t full = 0;           // times the line took less than was offered
  std::uint64_t cells_lost = 0;     // cells the operating system refused for good
  std::uint64_t overrun = 0;        // cells dropped because the owner let too many wait

  friend bool operator==(const LinkCounters&, const LinkCounters&) = default;
};

class Link {
 public:
  virtual ~Link() = default;

  // What has come, at most as many as `cells` holds. Returns how many.
  virtual std::size_t receive(std::span<Cell> cells) = 0;
  // Returns how many were taken, from the front; the rest is still the caller's. Fewer than all: the
  // line is full, try again later.
  virtual std::size_t send(std::span<const Cell> cells) = 0;

  virtual const LinkCounters& counters() const = 0;
  // The highest VPI that a cell on the line can have: 255 with headers in UNI form.
  virtual std::uint32_t vpi_max() const { return kVpiMax; }
};

}  // namespace xbind::dataplane
