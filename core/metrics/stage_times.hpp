// The time that operations spend in each stage: a sum and a count. Both only grow, so the
// difference of two readings gives the time between them.
//
// The stages of one operation follow one another without a gap; the last one, kTotal, is their sum.
// Times are those of the steps (`now`), not of a separate clock. A stage that begins and ends in
// one step takes zero. The computing time of a step counts in the stage under way when the step
// begins.
//
// In a status each stage is two counters: "setup_stage_route_ns" and "setup_stage_route_count".
//
// Not thread-safe; the component that measures owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind {

struct StageSum {
  std::uint64_t ns = 0;
  std::uint64_t count = 0;

  friend bool operator==(const StageSum&, const StageSum&) = default;
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
    StageSum& sum = sums_[static_cast<std::size_t>(stage)];
    sum.ns += static_cast<std::uint64_t>(took.count());
    ++sum.count;
  }
  const StageSum& of(Stage stage) const { return sums_[static_cast<std::size_t>(stage)]; }

  // Appends two counters for each stage, under the operation's name.
  void append_metrics(std::string_view operation, Metrics& metrics) const {
    for (std::size_t i = 0; i < kStages; ++i) {
      const std::string_view stage = to_string(static_cast<Stage>(i));
      metrics.emplace_back(filled(kStageNs, {operation, stage}), sums_[i].ns);
      metrics.emplace_back(filled(kStageCount, {operation, stage}), sums_[i].count);
    }
  }

 private:
  std::array<StageSum, kStages> sums_{};
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
