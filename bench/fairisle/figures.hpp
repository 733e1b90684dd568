// The figures of "Performance of the Fairisle port controller": the rates of its text, Fig. 5 and
// Fig. 6, judged by rules.hpp. Everything but the own costs of the emulated switch is on virtual
// time and the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/figures/figure.hpp"
#include "bench/processes/port_cost.hpp"
#include "dataplane/bench/forwarding.hpp"

namespace xbind::fairisle {

// What the figures show beside the model, measured on this machine; empty lists are left out.
struct OwnCosts {
  std::vector<callgen::PortCost> port;                   // Fig. 6
  std::vector<dataplane::bench::QueueingCost> queueing;  // F6
};

// `quick`: shorter measurements and fewer points.
figures::Figure rates(bool quick);
figures::Figure fig5(bool quick);
figures::Figure fig6(bool quick, const OwnCosts& own);

// The verdicts alone, from what was measured.
struct BurstRates {
  std::size_t burst = 1;
  double first_busy = 0;  // Mbit/s
  double maximum = 0;
};
figures::Verdict judge_fig5(const std::vector<BurstRates>& arm3);
struct IdleCurve {
  std::size_t burst = 1;
  std::vector<std::pair<double, double>> idle;  // offered Mbit/s, idle share
  double knee = 0;                              // Mbit/s
  std::uint64_t lost_at_line_rate = 0;
};
figures::Verdict judge_fig6(const std::vector<IdleCurve>& curves);

}  // namespace xbind::fairisle
