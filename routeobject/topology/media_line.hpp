// How the cells of a line travel in a lab: between two switches, or between a host and port 1 of
// its switch. A value, and the check of its description in a topology file. The code that opens the
// sockets checks again (dataplane/links). Pure, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/label.hpp"

namespace xbind {

enum class CellsForm : std::uint8_t {
  kMpls,    // ATM: a pseudowire, RFC 4717 N-to-one cells in MPLS in UDP, many in a datagram
  kPlain,   // ATM: one cell of 53 octets in a UDP datagram
  kRing,    // memory: both ends in one process
  kNone,    // no cells on this line, signalling alone
  kLsp,     // MPLS: RFC 4717 one-to-one cells in UDP, the labels are the connections' own
  kFrames,  // MPLS, a host's line only: Ethernet frames, the labels say which
  kCfr,     // ATM, VPI 0 alone: one cell of a Cambridge Fast Ring in a UDP datagram
};

struct MediaLine {
  CellsForm cells = CellsForm::kMpls;
  LabelKind labels = LabelKind::kAtm;  // of the connections on this line: kAtm or kMpls
  // "HOST:PORT" or "[IPv6]:PORT" of the two ends, numeric addresses, ports 1 to 65535; in the order
  // of the link's ends, or switch first and host second. nullopt: the lab chooses.
  std::optional<std::array<std::string, 2>> addresses{};
  std::optional<std::uint32_t> label{};  // of the MPLS pseudowire, both ways; nullopt: as above

  friend bool operator==(const MediaLine&, const MediaLine&) = default;
};

std::string_view to_string(CellsForm form);
// "mpls", "plain", "ring", "none", "lsp", "frames", "cfr"
std::optional<CellsForm> cells_form_of(std::string_view word);
// The default form of a line with such labels: kMpls, kLsp.
CellsForm default_cells(LabelKind labels);

// The line of a switch that carries frames, no cells (kind = "ovs"): MPLS labels, CellsForm::kNone.
MediaLine frames_line();

// A sentence about a line that such a switch cannot have, or nullopt.
std::optional<std::string> frames_line_fault(const MediaLine& line);

// A sentence about a line between switches that only a host's line can be, or nullopt.
std::optional<std::string> link_line_fault(const MediaLine& line);

// A sentence about the fault of a line, or nullopt: an invalid or repeated address, addresses of a
// line without UDP, a label out of range or of a line without a pseudowire, cells that cannot carry
// labels of the line's kind.
std::optional<std::string> media_line_fault(const MediaLine& line);

}  // namespace xbind
