// How a connection moves from one path to another while it is up (make before break): the relation
// of each hop of the new path to the old one. Pure functions.
//
//     old   ──▶ A ───▶ B ───▶ C ───▶ D ──▶
//     new   ──▶ A ─▶ X ─▶ Y ─▶ C ───▶ D ──▶
//
//     A takes over: the same input, another output    X, Y are new
//     C joins: another input, the same output         D stays as it is
//
// Links that both paths use in the same order keep their labels, so their load is counted once.
// Cells always have exactly one way. Before any take-over nothing leads into the new hops. After
// each take-over, in whatever order they happen, every cell follows hops of either path, each
// further downstream than the last.
#pragma once

#include <cstdint>
#include <vector>

#include "cmgr/parts/indices.hpp"

namespace xbind::cmgr {

// One hop, reduced to its place in a path.
struct PathStep {
  SwitchIndex at;
  PortId input_port;
  PortId output_port;

  friend bool operator==(const PathStep&, const PathStep&) = default;
};

struct StepChange {
  enum class Kind : std::uint8_t {
    kStays,      // `old` is the same hop
    kNew,        // the old path has no related hop at this switch
    kTakesOver,  // `old` has the same input
    kJoins,      // `old` has the same output
  };
  static constexpr std::uint16_t kNone = 0xffff;

  Kind kind = Kind::kNew;
  std::uint16_t old = kNone;  // index in the old path

  friend bool operator==(const StepChange&, const StepChange&) = default;
};

// One change for each hop of `to`. Both paths are loopless, begin at the same switch and input
// port, end at the same switch and output port, and have at most 65 534 hops. Time: the square of
// their lengths.
std::vector<StepChange> change_of_path(const std::vector<PathStep>& from,
                                       const std::vector<PathStep>& to);

}  // namespace xbind::cmgr
