// Finds the constants of the paper's hosts: compares what the paper reports of B1 (one call at a
// time, sequential manager) and of xbind with T = 1 with what the model shows for given constants.
//
// A search over few numbers, first coarse, then fine: deterministic, some minutes. It uses nothing
// of the paper's threaded manager, of T above 1 or of its caches: those are predictions.
#pragma once

#include <functional>

#include "bench/model/paper.hpp"

namespace xbind::model {

// Milliseconds, all of them.
struct FitNumbers {
  double b1_min = 0;
  double b1_p5 = 0;
  double b1_mean = 0;
  double b1_p95 = 0;
  double t1_at_1 = 0;   // mean setup latency at 1 call/s
  double t1_at_60 = 0;  // at 60 calls/s
};

// Sections III-B and IV.
inline constexpr FitNumbers kPaperSays{20.0, 20.5, 23.4, 31.0, 11.0, 40.0};

FitNumbers shown_with(const PaperHosts& hosts);

// The mean square of the logarithms of the six ratios: 0 is perfect, 0.01 is 10 % off each.
double misfit(const FitNumbers& shown, const FitNumbers& wanted);

// The hosts with the least misfit. `on_better` is called for every improvement.
PaperHosts fit_to_paper(
    const std::function<void(const PaperHosts&, double misfit)>& on_better = {});

}  // namespace xbind::model
