// Cells over MPLS: the N-to-one cell mode of RFC 4717 section 8 with its control word, under one
// MPLS label (RFC 3032), meant for UDP (RFC 7510, port 6635).
//
//   | label 20 | TC 3 | S 1 | TTL 8 |                            the pseudowire's label, S = 1
//   | 0 0 0 0 | flags 4 | 0 0 | length 6 | sequence number 16 |  the control word
//   | VPI 12 | VCI 16 | PT 3 | CLP 1 | payload 48 octets |       a cell without HEC, once or more
//
// The length is sent as 0: UDP adds no padding, and tshark, an independent decoder, reports any
// other value as an error. A peer may fill it in, as RFC 4385 section 3 requires below 64 octets;
// it is then obeyed. Sequence numbers run 1, 2, ..., 65535, 1, ...; 0 means that the sender does
// not number (RFC 4385 section 4).
//
// Departure: RFC 4385 drops everything up to 32767 numbers behind the expected one, so a restarted
// peer, which begins at 1, would be ignored for that long. Therefore 1 is always accepted as a
// restart; the cost is a duplicate if the network repeats a sender's first datagram. If that
// datagram is lost, kResyncAfter out-of-order ones in a row without one in order are also accepted
// as a restart.
//
// Pure. Options for tshark: tshark -d udp.port==6635,mpls -d mpls.label==N,mplspwatmn1cw
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/label.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

inline constexpr std::uint16_t kMplsUdpPort = 6635;

inline constexpr std::size_t kMplsOverhead = 8;  // label stack entry and control word
constexpr std::size_t mpls_octets(std::size_t cells) {
  return kMplsOverhead + cells * sizeof(Cell);
}

// Writes one datagram of mpls_octets(cells.size()) to the front of `octets`, which must have room.
void encode_mpls(std::span<const Cell> cells, std::uint32_t label, std::uint16_t sequence,
                 std::span<std::byte> octets);

constexpr std::uint16_t next_sequence(std::uint16_t sequence) {
  return sequence == 0xffff ? 1 : static_cast<std::uint16_t>(sequence + 1);
}

enum class MplsVerdict : std::uint8_t {
  kCells,
  kMalformed,   // too short, a deeper label stack, no data control word, or not a whole number of
                // cells
  kForeign,     // another label
  kOutOfOrder,  // a later one has arrived already
  kExpired,     // time to live 0: it should have been dropped before (RFC 3032 section 2.4.2)
};

// nullopt: kMalformed, because it is too short or has more than one label.
std::optional<std::uint32_t> mpls_label(std::span<const std::byte> datagram);

// The receiving end of one pseudowire.
class MplsReceiver {
 public:
  static constexpr unsigned kResyncAfter = 16;

  explicit MplsReceiver(std::uint32_t label) : label_(label) {}

  // Appends the cells with kCells, else nothing.
  MplsVerdict decode(std::span<const std::byte> datagram, std::vector<Cell>& cells);

 private:
  bool in_order(std::uint16_t sequence);

  std::uint32_t label_;
  std::uint16_t expected_ = 0;  // 0: any number
  unsigned behind_ = 0;         // out-of-order datagrams in a row
};

}  // namespace xbind::dataplane
