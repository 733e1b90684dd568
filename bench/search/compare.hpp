// Whether B is worse than A: the ratio of a metric, with its interval of 95 %.
//
// Equally many runs of A and B, six or more: pairs in their order. The ratio is the median of the
// pairs' ratios, and the interval is that of its order statistics (sign test, for every
// distribution). A pair in which one run has no value (no call connected) is left out.
// Else: means over batches of time within the runs, resampled with replacement: first the runs,
// then their batches (bootstrap). The seed is fixed: the same files give the same interval.
//
// Batches of one run are neighbours and share its conditions. A single run on each side therefore
// shows how a metric moves within the runs, not from one run to the next; the result says so.
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

// A metric of one run: as a whole, and in batches of time (possibly none).
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
  double low = 0;    // bounds of its 95 % interval; kCannotTell: there is none
  double high = 0;
  CompareVerdict verdict = CompareVerdict::kCannotTell;
  std::size_t pairs = 0;  // pairs compared; 0: a bootstrap
  double confidence = 0;  // that the interval of the pairs contains the median; at least 0.95
  std::string method;     // "median of 8 pairs", "bootstrap over 20 and 20 batches of one run each"

  // How much worse B is, as a ratio above 1: at least, and at most.
  double worse_at_least() const { return better == Better::kLower ? low : 1 / high; }
  double worse_at_most() const { return better == Better::kLower ? high : 1 / low; }
};
CompareLine compare(std::string metric, Better better, const std::vector<MetricOfRun>& a,
                    const std::vector<MetricOfRun>& b);

// 0: no metric is worse by more than `tolerance` (0.1: a tenth). 1: one certainly is. 3: unknown.
int exit_code(const std::vector<CompareLine>& lines, double tolerance);

// For a terminal; one line for each metric.
std::string to_text(const std::vector<CompareLine>& lines, double tolerance);

}  // namespace xbind::callgen
