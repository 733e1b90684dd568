// Which cells of a branch with packet discard (GSMP's traffic control flag D, RFC 3292 section
// 8.4) are not offered to its queue, so that what a full queue costs is whole frames:
//
//   early    no room for another frame: none of its cells is offered, its last one included
//   partial  a cell was refused: the rest of its frame is not offered, except the last cell, which
//            keeps the frame apart from the next one
//
// A frame ends with the user-user bit of its last cell, for every adaptation layer. What has no
// frames would be one that never ends; after kFrameCellsMax cells the next one begins.
//
// Sources: Romanow and Floyd, "Dynamics of TCP traffic over ATM networks" (1994), for both rules;
// the Fairisle paper for the bit. Pure; one object for each branch.
#pragma once

#include <cstdint>

#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

class FrameDiscard {
 public:
  // Of the longest AAL5 frame: 65 535 octets and a trailer.
  static constexpr std::uint16_t kFrameCellsMax = 1366;

  // `on`: the branch has the flag; otherwise the other functions are not called.
  explicit FrameDiscard(bool on = false) : on_(on ? 1 : 0) {}
  bool on() const { return on_ != 0; }

  // Whether the next cell is to be offered. `room`: for a frame that begins now.
  bool offers(bool last, bool room) {
    if (part_ == kNone) part_ = room ? kPassing : kSkipped;
    const bool offer = part_ == kPassing || (part_ == kCut && last);
    if (last || ++cells_ == kFrameCellsMax) {
      part_ = kNone;
      cells_ = 0;
    }
    return offer;
  }
  // The queue has refused the cell for which offers() returned true.
  void refused() {
    if (part_ == kPassing) part_ = kCut;
  }

 private:
  // Of the present frame; kNone: the next cell is the first of one.
  enum Part : std::uint16_t { kNone, kPassing, kCut, kSkipped };

  std::uint16_t on_ : 1;
  std::uint16_t part_ : 2 = kNone;
  std::uint16_t cells_ : 13 = 0;  // of the present frame
};
static_assert(sizeof(FrameDiscard) == 2);

}  // namespace xbind::dataplane
