// A few points measured twice, by the figures' source and by a second one, side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/figures/figure.hpp"

namespace xbind::figures {

struct CheckPoint {
  std::string name;  // "Fig. 6, sequential, 5 calls/s"
  Point point;
};

struct Check {
  std::string name;
  std::string source;  // name of the second source
  Shown first;         // from the figures' source
  std::optional<Shown> second;
  std::string error;  // why the second measurement is missing
};

// Points of Fig. 6, 7 and 10, at loads at which one machine can be every host of the paper.
std::vector<CheckPoint> check_points(const Bench& bench);
// `second` measures each point once. Its errors are stored in the check; an error of the figures'
// own source ends the checks.
Result<std::vector<Check>> run_checks(Bench& bench, PointSource& second,
                                      const Bench::Progress& progress);

}  // namespace xbind::figures
