// A curve of throughput and delay: one system under rising load, until it is not carried any more.
#pragma once

#include <string>
#include <vector>

#include "bench/figures/figure.hpp"

namespace xbind::figures {

struct Curve {
  struct At {
    double rate = 0;  // calls/s in the paper's units
    Shown shown;
  };
  std::string name;
  System system;
  std::vector<At> points;  // sustained ones, ascending
  double ceiling = 0;      // the highest rate that was sustained, in the paper's units; 0: none was

  // Mean setup latency in milliseconds at a rate, between two points by a straight line; NaN outside them.
  double mean_at(double rate) const;
};

// Measures `rates` (ascending, the paper's) until one is not sustained, goes on in steps of a seventh when
// all are, and then halves the gap: the ceiling is within 2 %. Every point goes to `csv`, also those that
// are cut off the curve.
Result<Curve> run_curve(Bench& bench, const std::string& figure, const System& system,
                        const std::vector<double>& rates, std::string& csv);

// Rate against mean latency, as the paper draws it.
plot::Series mean_series(const Curve& curve, int colour = -1);
plot::Series p99_series(const Curve& curve, int colour);
// The paper's units, and what they are on another system.
std::string rate_label(const Scale& scale);

}  // namespace xbind::figures
