// The time that operations spend in each stage: a sum, and counts by octave. They only grow, so the
// difference of two readings gives the time between them.
//
// The stages of one operation follow one another without a gap; the last one, kTotal, is their sum.
// Times are those of the steps (`now`), not of a separate clock. A stage that begins and ends in
// one step takes zero. The computing time of a step counts in the stage under way when the step
// begins.
//
// In a status each stage is two counters: "setup_stage_route_ns" and "setup_stage_route_count". A
// scrape exposes each stage as a histogram (exporter/reading.hpp).
//
// Not thread-safe; the component that measures owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/metrics/octave_counts.hpp"

namespace xbind {

struct StageSum {
  std::uint64_t ns = 0;
  std::uint64_t count = 0;

  friend bool operator==(const StageSum&, const StageSum&) = default;
};

// The times of one stage of an operation.
struct StageHistogram {
  std::string operation;  // "setup"
  std::string stage;      // "route"
  std::uint64_t ns = 0;   // the sum
  histogram::OctaveCounts counts{};
};

inline constexpr MetricNames kStageMetrics{{
    {"<operation>_stage_<stage>_ns", MetricKind::kCounter, "ns",
     "Time that operations spent in this stage."},
    {"<operation>_stage_<stage>_count", MetricKind::kCounter, "",
     "Operations that passed this stage."},
}};
// Outside the template, because clang 14 refuses the look-up of a row inside it.
inline constexpr std::string_view kStageNs = kStageMetrics["<operation>_stage_<stage>_ns"];
inline constexpr std::string_view kStageCount = kStageMetrics["<operation>_stage_<stage>_count"];

// `Stage` is an enum whose last value is kTotal, with a to_string().
template <class Stage>
class StageTimes {
 public:
  static constexpr std::size_t kStages = static_cast<std::size_t>(Stage::kTotal) + 1;

  // `took` must not be negative.
  void add(Stage stage, Duration took) {
    Times& times = times_[static_cast<std::size_t>(stage)];
    const auto ns = static_cast<std::uint64_t>(took.count());
    times.ns += ns;
    ++times.counts[histogram::octave_of(ns)];
  }
  StageSum of(Stage stage) const { return times_[static_cast<std::size_t>(stage)].sum(); }

  // Appends two counters for each stage, under the operation's name.
  void append_metrics(std::string_view operation, Metrics& metrics) const {
    for (std::size_t i = 0; i < kStages; ++i) {
      const std::string_view stage = to_string(static_cast<Stage>(i));
      metrics.emplace_back(filled(kStageNs, {operation, stage}), times_[i].ns);
      metrics.emplace_back(filled(kStageCount, {operation, stage}), times_[i].sum().count);
    }
  }
  // Appends a histogram for each stage.
  void append_histograms(std::string_view operation, std::vector<StageHistogram>& out) const {
    for (std::size_t i = 0; i < kStages; ++i) {
      out.push_back({std::string{operation}, std::string{to_string(static_cast<Stage>(i))},
                     times_[i].ns, times_[i].counts});
    }
  }

 private:
  struct Times {
    std::uint64_t ns = 0;
    histogram::OctaveCounts counts{};

    // The count is not kept, because add() runs with every call.
    StageSum sum() const {
      return {ns, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})};
    }
  };

  std::array<Times, kStages> times_{};
};

// The stages of one kind of operation, read from a status.
struct OperationStages {
  struct Stage {
    std::string name;
    StageSum sum;
  };
  std::string operation;      // "setup"
  std::vector<Stage> stages;  // in their order; the last one is the total
};

// Moves the stages out of `metrics`; the other metrics keep their order.
std::vector<OperationStages> take_stages(Metrics& metrics);

// Formats the mean of every stage and its share of the total, for people. Leaves out operations
// that were never counted.
std::string stages_as_text(const std::vector<OperationStages>& operations);

}  // namespace xbind
