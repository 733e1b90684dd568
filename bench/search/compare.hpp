// Whether B is worse than A: the ratio of a metric, with the interval in which it lies with 95 %.
//
//   as many runs of A as of B, six or more    pairs in their order: the median of their ratios, and the
//                                             order statistics that hold the median (sign test, no
//                                             distribution assumed); a pair of which one run has no
//                                             value (no call connected) is left out
//   else                                      means over batches of time within the runs, drawn again with
//                                             replacement: runs first, then their batches (bootstrap, a
//                                             fixed seed: the same files give the same interval)
//
// Batches lie next to each other in one run and share its fate: a single run on each side tells how much a
// metric moved within the runs, not how much it moves from one run to the next. The result says so.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::callgen {

// A metric of one run: as a whole, and in batches of time (perhaps none).
struct MetricOfRun {
  double whole = 0;
  std::vector<double> batches;
};

enum class Better : std::uint8_t { kLower, kHigher };

enum class CompareVerdict : std::uint8_t { kBetter, kWorse, kNoDifference, kCannotTell };
std::string_view to_string(CompareVerdict verdict);  // "better", "no difference shown", ...

struct CompareLine {
  std::string metric;
  Better better = Better::kLower;
  double a = 0;  // means of the runs as a whole
  double b = 0;
  double ratio = 0;  // B / A
  double low = 0;    // of its 95 % interval; kCannotTell: there is none
  double high = 0;
  CompareVerdict verdict = CompareVerdict::kCannotTell;
  std::size_t pairs = 0;  // whose ratios were compared; 0: no pairs, but a bootstrap
  double confidence = 0;  // that the interval of the pairs holds the median; at least 0.95
  std::string method;     // "median of 8 pairs", "bootstrap over 20 and 20 batches of one run each"

  // How much worse B is, as a ratio above 1, at least and at most.
  double worse_at_least() const { return better == Better::kLower ? low : 1 / high; }
  double worse_at_most() const { return better == Better::kLower ? high : 1 / low; }
};
CompareLine compare(std::string metric, Better better, const std::vector<MetricOfRun>& a,
                    const std::vector<MetricOfRun>& b);

// 0: none is worse by more than `tolerance` (0.1: a tenth). 1: one surely is. 3: cannot be told of one.
int exit_code(const std::vector<CompareLine>& lines, double tolerance);

// For a terminal; a line each.
std::string to_text(const std::vector<CompareLine>& lines, double tolerance);

}  // namespace xbind::callgen
