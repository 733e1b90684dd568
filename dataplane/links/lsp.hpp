// Cells of connections whose labels are MPLS labels: the one-to-one cell mode of RFC 4717 section
// 9, VCC service, meant for UDP (RFC 7510, port 6635). The label belongs to the connection and
// travels in the label stack entry. So a datagram carries cells of one connection, and no cell
// carries VPI and VCI.
//
//   | label 20 | TC 3 | S 1 | TTL 8 |                 the connection's label, S = 1
//   | 0 0 0 0 | reserved 4 | sequence number 16 |     the control word; its last octet is ...
//   | M 1 | V 1 | reserved 2 | PTI 3 | C 1 |          ... the first cell's
//   | payload 48 octets |                             further cells: this octet and the payload
//
// M = 0: a cell, no AAL5 frame. V = 0: VCC service, no VCI follows. Reserved bits are sent as 0 and
// ignored. There is no length field: UDP carries the size.
//
// Sequence numbers are sent as 0 (not numbered) and ignored (RFC 4717 section 5.1.2 leaves them to
// the pseudowire's ends). They would count each connection separately, and so need state for every
// label at both ends of a line that does not track connections. AAL5 detects a lost or overtaken
// cell.
//
// In memory a Cell has the label in place of VPI and VCI: label == vpi << 16 | vci.
//
// Pure. tshark decodes these datagrams with the options tshark -d udp.port==6635,mpls -d
// mpls.label==N,mplspwatm11_or_aal5pdu
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/label.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

// Label stack entry, and control word without its last octet.
inline constexpr std::size_t kLspOverhead = 7;
inline constexpr std::size_t kLspCellOctets = 1 + kPayloadOctets;
inline constexpr std::size_t kLspCellsMax = 29;  // per datagram: as many as fit an Ethernet frame
constexpr std::size_t lsp_octets(std::size_t cells) {
  return kLspOverhead + cells * kLspCellOctets;
}

// The 28 bits of VPI and VCI as one number.
constexpr std::uint32_t lsp_label(const Cell& cell) { return cell.header >> 4; }
// Whether it is a valid, unreserved MPLS label.
bool has_lsp_label(const Cell& cell);

// Writes one datagram of lsp_octets(cells.size()) to the front of `octets`, which must have room
// for it. All cells must have the same label, which has_lsp_label() accepts; 1 to kLspCellsMax
// cells.
void encode_lsp(std::span<const Cell> cells, std::span<std::byte> octets);

enum class LspVerdict : std::uint8_t {
  kCells,
  // Too short, longer than kLspCellsMax cells, a deeper label stack, a reserved label, no data
  // control word, not cells of VCC service, or not a whole number of them.
  kMalformed,
  kExpired,  // time to live 0: it should have been dropped before (RFC 3032 section 2.4.2)
};

// Appends the cells with kCells, else nothing.
LspVerdict decode_lsp(std::span<const std::byte> datagram, std::vector<Cell>& cells);

}  // namespace xbind::dataplane
