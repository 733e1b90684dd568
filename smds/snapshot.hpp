// What a running server shows: counters of its ports and lower layers, at one moment. Values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "smds/counters.hpp"

namespace xbind::smds {

struct PortSnapshot {
  PortCounters counters{};
  std::size_t waiting = 0;           // PDUs in the input buffer
  std::uint64_t mcdus_exceeded = 0;  // AAL3/4: PDUs refused because too many were in transit
};

struct LayerSnapshot {
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bad_frames = 0;           // errors of AAL5 and AAL3/4, too long ones
  std::uint64_t unknown_label_cells = 0;  // cells of no call of the server
  std::uint64_t foreign = 0;              // datagrams of another address
  std::uint64_t lost = 0;                 // frames that a line did not take
};

struct Snapshot {
  std::vector<PortSnapshot> ports{};  // by index
  LayerSnapshot atm{};
  LayerSnapshot udp{};
};

}  // namespace xbind::smds
