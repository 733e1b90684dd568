// Converts between frames and the number of ATM cells that AAL5 makes of them, exactly.
//
// ITU-T I.363.5: a CPCS-PDU is the payload (1 to 65535 octets), 0 to 47 octets of padding and a
// trailer of 8 octets, together a multiple of 48; each 48 octets travel in one cell.
//
// A frame of more than 65535 octets is sent as several CPCS-PDUs, all but the last of them full. No
// other split needs fewer cells, and the receiver can join them by their order of arrival alone.
// All functions are pure and cannot overflow.
#pragma once

#include <cstdint>

namespace xbind::aal5 {

inline constexpr std::uint64_t kCellPayloadOctets = 48;
inline constexpr std::uint64_t kTrailerOctets = 8;
inline constexpr std::uint64_t kPduPayloadMax = 65535;

// Cells of one CPCS-PDU; `payload_octets`: 1 to kPduPayloadMax.
constexpr std::uint64_t cells_of_pdu(std::uint64_t payload_octets) {
  return (payload_octets + kTrailerOctets + kCellPayloadOctets - 1) / kCellPayloadOctets;
}

inline constexpr std::uint64_t kFullPduCells = cells_of_pdu(kPduPayloadMax);

// Cells of one frame of any size; 0 for no octets. Never decreases as frames grow.
constexpr std::uint64_t cells_of_frame(std::uint64_t frame_octets) {
  const std::uint64_t rest = frame_octets % kPduPayloadMax;
  return frame_octets / kPduPayloadMax * kFullPduCells + (rest == 0 ? 0 : cells_of_pdu(rest));
}

// Octets of the largest frame that fits in `cells` (at most 2^48); 0 for no cells.
constexpr std::uint64_t octets_in_cells(std::uint64_t cells) {
  const std::uint64_t rest = cells % kFullPduCells;
  return cells / kFullPduCells * kPduPayloadMax +
         (rest == 0 ? 0 : rest * kCellPayloadOctets - kTrailerOctets);
}

static_assert(kFullPduCells == 1366);
static_assert(cells_of_pdu(40) == 1 && cells_of_pdu(41) == 2);
static_assert(octets_in_cells(1) == 40 && octets_in_cells(kFullPduCells) == kPduPayloadMax);

}  // namespace xbind::aal5
