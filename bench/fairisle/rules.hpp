// The rules that judge the Fairisle paper's figures, as fixed before the first results were seen
// (docs/decisions/0135). Each sentence is on the page; the numbers below are its bounds.
//
// A rule has several conditions: a figure is reproduced when all hold, partly when some do.
#pragma once

#include <array>
#include <string_view>

namespace xbind::fairisle {

// The paper's figures, in Mbit/s of cell payload.
inline constexpr double kPaperLine = 87.3;
inline constexpr double kPaperArm3 = 73.4;
inline constexpr double kPaperArm600 = 82.5;
inline constexpr double kPaperKneeLow = 40;
inline constexpr double kPaperKneeHigh = 50;

inline constexpr std::string_view kRatesRule =
    "F1: a line of 100 Mbit/s with two octets of overhead carries 87.27 Mbit/s of payload within "
    "0.5 %, with none 90.57. F2: fpc2-arm3, fpc2-arm600 and fpc3 sustain 73.4, 82.5 and 87.3 "
    "Mbit/s "
    "within 1 %, each a condition; at 99 % of each nothing is lost; and the processor of "
    "fpc2-arm600 is idle for at "
    "least 1 % of the time at its plateau.";
inline constexpr double kLineWithin = 0.005;
inline constexpr double kPlateauWithin = 0.01;
inline constexpr double kTimeToSpare = 0.01;

inline constexpr std::string_view kFig5Rule =
    "For fpc2-arm3. F3: the rate at which the processor is first always busy falls nowhere by "
    "more than 3 % as bursts grow; its last two points differ by at most 2 %; the model 384 b / "
    "(t_burst + b t_cell), fitted to it, misses no point by more than 2 %. F4: at no burst is the "
    "absolute maximum more than 1 % below it; at single cells it is at least 1.2 times as high, "
    "so that the curves are two; and at the largest bursts both are within 3 % of 73.4 Mbit/s.";
inline constexpr double kMonotoneWithin = 0.03;
inline constexpr double kFlatWithin = 0.02;
inline constexpr double kFitWithin = 0.02;
inline constexpr double kMaximumBelow = 0.01;
inline constexpr double kCurvesApart = 1.2;
inline constexpr double kFullRateWithin = 0.03;

inline constexpr std::string_view kFig6Rule =
    "For fpc3. F5: the idle share falls with the load at every burst size; single cells take the "
    "whole processor from a rate of 40 to 50 Mbit/s on; every other burst size does so as well; "
    "and at each burst size the full line rate is forwarded without loss.";
// The idle share may rise by this much, a burst at the end of a measurement.
inline constexpr double kIdleRise = 0.005;

inline constexpr std::array<std::size_t, 7> kFig5Bursts{1, 2, 4, 8, 16, 32, 64};
inline constexpr std::array<std::size_t, 5> kFig6Bursts{1, 2, 4, 16, 64};
// What the emulated switch itself costs, and what its queueing options cost (F6), is shown and not
// judged: the paper has no number for it.
inline constexpr std::array<std::size_t, 4> kOwnBursts{1, 4, 16, 64};

}  // namespace xbind::fairisle
