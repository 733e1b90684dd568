// How a connection gets from one path to another while it is up (make before break): what each hop of the
// new path has to do with the old one. Pure.
//
//     old   ──▶ A ───▶ B ───▶ C ───▶ D ──▶        A  takes over: the same input, another output
//     new   ──▶ A ─▶ X ─▶ Y ─▶ C ───▶ D ──▶       X, Y  are new;  C  joins: another input, the same output
//                                                 D  stays as it is
//
// Links that both paths use in the same order keep their labels, and so what they carry is counted once.
// Cells are never without a way, nor have two: before any take-over nothing leads into the new hops, and
// after each take-over, in whatever order they happen, every cell goes on along hops of either path, each
// further down than the last.
#pragma once

#include <cstdint>
#include <vector>

#include "cmgr/parts/indices.hpp"

namespace xbind::cmgr {

// One hop, as far as a path is concerned.
struct PathStep {
  SwitchIndex at;
  PortId input_port;
  PortId output_port;

  friend bool operator==(const PathStep&, const PathStep&) = default;
};

struct StepChange {
  enum class Kind : std::uint8_t {
    kStays,      // `old` is the same hop
    kNew,        // nothing at this switch, or something else
    kTakesOver,  // `old` has the same input
    kJoins,      // `old` has the same output
  };
  static constexpr std::uint16_t kNone = 0xffff;

  Kind kind = Kind::kNew;
  std::uint16_t old = kNone;  // index in the old path

  friend bool operator==(const StepChange&, const StepChange&) = default;
};

// One for each hop of `to`. Both are loopless, have the same first input port at the same switch and the
// same last output port at the same switch, and at most 65 534 hops. Time: the square of their lengths.
std::vector<StepChange> change_of_path(const std::vector<PathStep>& from,
                                       const std::vector<PathStep>& to);

}  // namespace xbind::cmgr
