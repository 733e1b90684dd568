// A curve of throughput against delay: one system under rising load, until it cannot carry more.
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
  std::vector<At> points;  // sustained ones, in ascending order
  double ceiling = 0;      // the highest rate that was sustained, in the paper's units; 0: none was

  // Mean setup latency in milliseconds at a rate, linear between two points; NaN outside them.
  double mean_at(double rate) const;
};

// Measures `rates` (ascending, in the paper's units) until one is not sustained; if all are, goes
// on in steps of a seventh; then halves the gap (bench/search/rate_search.hpp). The ceiling is
// exact to 2 %. `csv` receives every point, also those above the ceiling.
Result<Curve> run_curve(Bench& bench, const std::string& figure, const System& system,
                        const std::vector<double>& rates, std::string& csv);

// The curves of several systems, in their order.
Result<std::vector<Curve>> run_curves(Bench& bench, const std::string& figure,
                                      const std::vector<System>& systems,
                                      const std::vector<double>& rates, std::string& csv);

// Mean latency against rate, as the paper draws it.
plot::Series mean_series(const Curve& curve, int colour = -1);
plot::Series p99_series(const Curve& curve, int colour);
// The paper's units, and their meaning on another system.
std::string rate_label(const Scale& scale);

}  // namespace xbind::figures
