// The cells of a media check (media_check.hpp). Each cell carries its origin, so that a cell that
// arrives at a wrong place shows where it came from.
//
//   | "XBMC" 4 | run 8 | call 8 | number 4 | way 1 | after release 1 | filling |   48 octets, or 40
//
// The cells form AAL5 frames, so that any reader of a capture can check them. Each frame is one
// cell, except that the last kLongFrameCells cells of a check form one frame. The last cell of a
// frame has 40 octets of payload and AAL5's trailer.
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

inline constexpr std::uint32_t kCheckCells = 8;      // while a call is up, in each direction
inline constexpr std::uint32_t kLongFrameCells = 3;  // the last of these, which form one frame
inline constexpr std::uint32_t kProbeCells = 4;      // after its release, in each direction

struct CellMark {
  std::uint64_t run = 0;   // number of this run of callgen
  std::uint64_t call = 0;  // from 0
  std::uint32_t number = 0;
  std::uint8_t way = 0;  // 0: from the caller; 1: from the called end
  bool after_release = false;

  friend bool operator==(const CellMark&, const CellMark&) = default;
};

// An endpoint where calls begin or end, and the kind of labels on its line.
struct MediaEndpoint {
  std::string name;
  LabelKind labels = LabelKind::kAtm;  // or kMpls
};

// The kCheckCells of a check or, with `mark.after_release`, the kProbeCells of a probe, on an ATM
// or MPLS label. Numbers count from 0; `mark.number` is ignored.
std::vector<dataplane::Cell> marked_cells(CellMark mark, Label label);

// The mark of a cell; nullopt if callgen did not send it.
std::optional<CellMark> mark_of(const dataplane::Cell& cell);

}  // namespace xbind::callgen
