#include "bench/search/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "callgen/load/random.hpp"
#include "callgen/statistics/distributions.hpp"
#include "core/check.hpp"

namespace xbind::callgen {
namespace {

constexpr std::uint64_t kSeed = 1995;
constexpr std::size_t kResamples = 4000;
constexpr std::size_t kFewestPairs = 6;    // (1/2)^6 twice is below 5 %
constexpr std::size_t kFewestBatches = 5;  // on each side
constexpr double kConfidence = 0.95;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool measured(const MetricOfRun& run) {
  return std::isfinite(run.whole) && run.whole > 0 &&
         std::all_of(run.batches.begin(), run.batches.end(),
                     [](double value) { return std::isfinite(value) && value >= 0; });
}

bool all_measured(const std::vector<MetricOfRun>& runs) {
  return !runs.empty() && std::all_of(runs.begin(), runs.end(),
                                      [](const MetricOfRun& run) { return measured(run); });
}

// The mean of the runs that were measured; 0 when none was.
double whole_of(const std::vector<MetricOfRun>& runs) {
  double sum = 0;
  double count = 0;
  for (const MetricOfRun& run : runs) {
    if (!measured(run)) continue;
    sum += run.whole;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// The ratios of the pairs that were measured on both sides. Nothing when there are too few.
bool pair_up(const std::vector<MetricOfRun>& a, const std::vector<MetricOfRun>& b,
             CompareLine& line) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (measured(a[i]) && measured(b[i])) ratios.push_back(b[i].whole / a[i].whole);
  }
  const std::size_t n = ratios.size();
  const auto ranks = quantile_ranks(n, 0.5, kConfidence);
  if (!ranks) return false;
  std::sort(ratios.begin(), ratios.end());
  line.ratio = n % 2 == 1 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
  line.low = ratios[ranks->low - 1];
  line.high = ratios[ranks->high - 1];
  line.pairs = n;
  line.confidence = ranks->confidence;
  line.method = fmt::format("median of {} pairs of runs", n);
  if (n < a.size()) line.method += fmt::format(", {} not measured", a.size() - n);
  return true;
}

// The values to draw from: the batches of each run, or its whole when several runs have none.
std::vector<std::vector<double>> pools_of(const std::vector<MetricOfRun>& runs) {
  std::vector<std::vector<double>> pools;
  pools.reserve(runs.size());
  for (const MetricOfRun& run : runs)
    pools.push_back(run.batches.empty() ? std::vector{run.whole} : run.batches);
  return pools;
}

std::size_t size_of(const std::vector<std::vector<double>>& pools) {
  std::size_t all = 0;
  for (const auto& pool : pools) all += pool.size();
  return all;
}

double drawn_mean(const std::vector<std::vector<double>>& pools, RandomBits& bits) {
  double sum = 0;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const auto& pool = pools[below(bits, pools.size())];
    double of_run = 0;
    for (std::size_t j = 0; j < pool.size(); ++j) of_run += pool[below(bits, pool.size())];
    sum += of_run / static_cast<double>(pool.size());
  }
  return sum / static_cast<double>(pools.size());
}

double mean_of(const std::vector<std::vector<double>>& pools) {
  double sum = 0;
  for (const auto& pool : pools) sum += mean_of(pool);
  return sum / static_cast<double>(pools.size());
}

bool bootstrap(const std::vector<MetricOfRun>& a, const std::vector<MetricOfRun>& b,
               CompareLine& line) {
  const auto pools_a = pools_of(a);
  const auto pools_b = pools_of(b);
  if (size_of(pools_a) < kFewestBatches || size_of(pools_b) < kFewestBatches) return false;
  line.ratio = mean_of(pools_b) / mean_of(pools_a);
  RandomBits bits(kSeed);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double drawn_a = drawn_mean(pools_a, bits);
    ratios.push_back(drawn_mean(pools_b, bits) / drawn_a);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&ratios](double fraction) {
    return ratios[static_cast<std::size_t>(fraction * static_cast<double>(ratios.size() - 1))];
  };
  line.low = at((1 - kConfidence) / 2);
  line.high = at((1 + kConfidence) / 2);
  line.method = fmt::format("bootstrap over {} batches of {} run{} and {} of {}", size_of(pools_a),
                            a.size(), a.size() == 1 ? "" : "s", size_of(pools_b), b.size());
  return true;
}

}  // namespace

std::string_view to_string(CompareVerdict verdict) {
  switch (verdict) {
    case CompareVerdict::kBetter: return "better";
    case CompareVerdict::kWorse: return "worse";
    case CompareVerdict::kNoDifference: return "no difference shown";
    case CompareVerdict::kCannotTell: return "cannot tell";
  }
  XB_CHECK(false);
}

CompareLine compare(std::string metric, Better better, const std::vector<MetricOfRun>& a,
                    const std::vector<MetricOfRun>& b) {
  CompareLine line;
  line.metric = std::move(metric);
  line.better = better;
  line.a = whole_of(a);
  line.b = whole_of(b);
  if (!(line.a > 0) || !(line.b > 0)) {
    line.method = fmt::format("not measured in {}", line.a > 0 ? "B" : "A");
    return line;
  }
  line.ratio = line.b / line.a;
  const bool paired = a.size() == b.size() && a.size() >= kFewestPairs;
  if (paired ? !pair_up(a, b, line)
             : !all_measured(a) || !all_measured(b) || !bootstrap(a, b, line)) {
    line.method = paired ? fmt::format("needs {} pairs of runs that were measured", kFewestPairs)
                  : !all_measured(a) ? "not measured in every run of A"
                  : !all_measured(b)
                      ? "not measured in every run of B"
                      : fmt::format("needs {} pairs of runs, or {} batches on each side",
                                    kFewestPairs, kFewestBatches);
    return line;
  }
  if (!std::isfinite(line.low) || !std::isfinite(line.high) || line.low <= 0) return line;
  line.verdict = line.worse_at_least() > 1  ? CompareVerdict::kWorse
                 : line.worse_at_most() < 1 ? CompareVerdict::kBetter
                                            : CompareVerdict::kNoDifference;
  return line;
}

int exit_code(const std::vector<CompareLine>& lines, double tolerance) {
  bool within = !lines.empty();
  for (const CompareLine& line : lines) {
    const bool known = line.verdict != CompareVerdict::kCannotTell;
    if (known && line.worse_at_least() > 1 + tolerance) return 1;
    within = within && known && line.worse_at_most() <= 1 + tolerance;
  }
  return within ? 0 : 3;
}

std::string to_text(const std::vector<CompareLine>& lines, double tolerance) {
  std::string text = fmt::format("  {:<14}{:>14}{:>14}{:>9}  {:<18}{}\n", "", "A", "B", "B / A",
                                 "95 % interval", "");
  for (const CompareLine& line : lines) {
    const bool known = line.verdict != CompareVerdict::kCannotTell;
    text += fmt::format("  {:<14}{:>14.6g}{:>14.6g}{:>9.3f}  {:<18}{} ({})\n", line.metric, line.a,
                        line.b, line.ratio,
                        known ? fmt::format("{:.3f} to {:.3f}", line.low, line.high) : "-",
                        to_string(line.verdict), line.method);
  }
  switch (exit_code(lines, tolerance)) {
    case 0:
      text += fmt::format("Verdict: B is not worse than A by more than {:g} %\n", 100 * tolerance);
      break;
    case 1:
      text += fmt::format("Verdict: B is worse than A by more than {:g} %\n", 100 * tolerance);
      break;
    default:
      text += fmt::format(
          "Verdict: cannot tell whether B is worse than A by more than {:g} %; more "
          "runs, or longer ones, would\n",
          100 * tolerance);
  }
  return text;
}

}  // namespace xbind::callgen
