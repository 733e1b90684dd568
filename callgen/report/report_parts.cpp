#include "callgen/report/report_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "callgen/statistics/distributions.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

constexpr std::array<std::pair<const char*, double>, 7> kPercentiles{{{"p5", 5},
                                                                      {"p50", 50},
                                                                      {"p90", 90},
                                                                      {"p95", 95},
                                                                      {"p99", 99},
                                                                      {"p999", 99.9},
                                                                      {"p9999", 99.99}}};
constexpr double kFewestBeyond = 10;

// Adds the order statistics between which a percentile lies with 95 % probability.
void add_interval(const Histogram& histogram, const char* name, double percent,
                  LatencySummary& summary) {
  const auto ranks = quantile_ranks(histogram.count(), percent / 100, 0.95);
  if (!ranks) return;
  summary.interval_95[name] = {in_us(std::max(histogram.min(), histogram.ranked(ranks->low))),
                               in_us(histogram.ranked(ranks->high))};
}

// Orders the manager's and the SwitchServer's stages by time; other stages follow by name.
int place_of(std::string_view stage) {
  constexpr std::array<std::string_view, 10> kOrder{"admission", "qos",   "crankback", "route",
                                                    "labels",    "queue", "switches",  "ledger",
                                                    "driver",    "answer"};
  const auto found = std::find(kOrder.begin(), kOrder.end(), stage);
  if (found != kOrder.end()) return static_cast<int>(found - kOrder.begin());
  return stage == "total" ? 100 : 50;
}

}  // namespace

LatencySummary summary_of(const Histogram& histogram) {
  LatencySummary summary;
  summary.count = histogram.count();
  summary.min = in_us(histogram.min());
  summary.mean = histogram.mean_ns() / 1000;
  summary.p5 = in_us(histogram.percentile(5));
  summary.p50 = in_us(histogram.percentile(50));
  summary.p95 = in_us(histogram.percentile(95));
  summary.p99 = in_us(histogram.percentile(99));
  summary.p999 = in_us(histogram.percentile(99.9));
  summary.max = in_us(histogram.max());
  summary.sd = histogram.deviation_ns() / 1000;
  summary.p90 = in_us(histogram.percentile(90));
  summary.p9999 = in_us(histogram.percentile(99.99));
  for (const auto& [name, percent] : kPercentiles) {
    if (percent >= 50 && percent < 99.95) add_interval(histogram, name, percent, summary);
  }
  return summary;
}

std::vector<std::string> too_few_for(std::uint64_t count) {
  std::vector<std::string> names;
  for (const auto& [name, percent] : kPercentiles) {
    const double beyond = std::min(percent, 100 - percent) / 100 * static_cast<double>(count);
    if (beyond < kFewestBeyond - 1e-6) names.emplace_back(name);
  }
  return names;
}

std::map<std::string, std::vector<StageMean>> stages_of(const Metrics& grown) {
  constexpr std::string_view kInfix = "_stage_";
  constexpr std::string_view kCount = "_count";
  std::map<std::string, std::vector<StageMean>> operations;
  for (const auto& [name, count] : grown) {
    const std::size_t infix = name.find(kInfix);
    if (infix == std::string::npos || !name.ends_with(kCount) || count == 0) continue;
    const std::string head = name.substr(0, name.size() - kCount.size());
    const auto ns = grown.find(head + "_ns");
    if (ns == grown.end()) continue;
    operations[name.substr(0, infix)].push_back(
        {head.substr(infix + kInfix.size()), count,
         static_cast<double>(ns->second) / 1000 / static_cast<double>(count)});
  }
  for (auto& [operation, stages] : operations) {
    std::stable_sort(stages.begin(), stages.end(), [](const StageMean& a, const StageMean& b) {
      return place_of(a.name) < place_of(b.name);
    });
  }
  return operations;
}

std::string sentence_of(const RateChange& change) {
  const auto rate = [](const std::optional<double>& per_s) {
    return per_s ? fmt::format("{:.6g}", *per_s) : std::string("unknown");
  };
  if (change.what == "rate")
    return fmt::format("rate from {} to {} calls/s", rate(change.from_per_s),
                       rate(change.to_per_s));
  if (change.what == "pause") return "calls held back";
  if (change.what == "resume")
    return change.to_per_s ? fmt::format("resumed with {} calls/s", rate(change.to_per_s))
                           : std::string("resumed");
  return "no further call offered";
}

std::optional<std::uint64_t> context_switches(const ProcessCost& process) {
  if (!process.voluntary_switches || !process.involuntary_switches) return std::nullopt;
  return *process.voluntary_switches + *process.involuntary_switches;
}

std::optional<double> rss_growth_mb(const ProcessCost& process) {
  if (!process.rss_full_mb || !process.rss_before_mb) return std::nullopt;
  return *process.rss_full_mb - *process.rss_before_mb;
}

}  // namespace xbind::callgen
