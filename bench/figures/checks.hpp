// A few points measured twice: by the source of the figures and by another one, side by side.
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
  std::string source;  // who measured it the second time
  Shown first;         // as in the figures
  std::optional<Shown> second;
  std::string error;  // why there is no second
};

// Of Fig. 6, 7 and 10: loads at which one machine can be every host of the paper.
std::vector<CheckPoint> check_points(const Bench& bench);
// `second` measures each once. Errors of it are told in the check; errors of the figures' own source end
// the checking.
Result<std::vector<Check>> run_checks(Bench& bench, PointSource& second,
                                      const Bench::Progress& progress);

}  // namespace xbind::figures
