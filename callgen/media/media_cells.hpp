// The cells of a media check (media_check.hpp): each says whose it is, so that one that turns up at a
// wrong place still tells where it came from.
//
//   | "XBMC" 4 | run 8 | call 8 | number 4 | way 1 | after release 1 | filling |     48 octets, or 40
//
// They form AAL5 frames, so that any reader of a capture can check them: all of one cell each, but for
// the last kLongFrameCells cells of a check, which are one frame. The last cell of a frame has 40 octets
// of ours and AAL5's trailer.
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/label.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::callgen {

inline constexpr std::uint32_t kCheckCells = 8;      // while a call is up, on each of its ways
inline constexpr std::uint32_t kLongFrameCells = 3;  // of these, the last ones
inline constexpr std::uint32_t kProbeCells = 4;      // after its release, on each of its ways

struct CellMark {
  std::uint64_t run = 0;   // of this run of callgen and no other
  std::uint64_t call = 0;  // from 0
  std::uint32_t number = 0;
  std::uint8_t way = 0;  // 0: from the caller; 1: from the called end
  bool after_release = false;

  friend bool operator==(const CellMark&, const CellMark&) = default;
};

// A host's place in the network: what calls begin or end there, and the labels on its line.
struct MediaEndpoint {
  std::string name;
  LabelKind labels = LabelKind::kAtm;  // or kMpls
};

// The kCheckCells of a check or, with `mark.after_release`, the kProbeCells of a probe, on this
// label, ATM's or MPLS's; numbers count from 0, `mark.number` is not looked at.
std::vector<dataplane::Cell> marked_cells(CellMark mark, Label label);

// What a cell says of itself; nothing when it is none of ours.
std::optional<CellMark> mark_of(const dataplane::Cell& cell);

}  // namespace xbind::callgen
