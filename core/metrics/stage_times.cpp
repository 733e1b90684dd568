#include "core/metrics/stage_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/duration_text.hpp"

namespace xbind {
namespace {

constexpr std::string_view kInfix = "_stage_";
constexpr std::string_view kSum = "_ns";
constexpr std::string_view kCount = "_count";

std::string mean_of(const StageSum& sum) {
  if (sum.count == 0) return "-";
  return duration_text(static_cast<double>(sum.ns) / static_cast<double>(sum.count));
}

std::string part_of(const StageSum& sum, const StageSum& total) {
  if (sum.ns == 0 || total.ns == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(sum.ns) / static_cast<double>(total.ns));
}

}  // namespace

std::vector<OperationStages> take_stages(Metrics& metrics) {
  std::vector<OperationStages> operations;
  Metrics rest;
  for (auto& metric : metrics) {
    const std::string_view name = metric.first;
    const std::size_t infix = name.find(kInfix);
    const bool is_sum = name.ends_with(kSum);
    if (infix == std::string_view::npos || (!is_sum && !name.ends_with(kCount))) {
      rest.push_back(std::move(metric));
      continue;
    }
    const std::string_view operation = name.substr(0, infix);
    std::string_view stage = name.substr(infix + kInfix.size());
    stage.remove_suffix(is_sum ? kSum.size() : kCount.size());
    auto of = std::find_if(operations.begin(), operations.end(),
                           [&](const OperationStages& it) { return it.operation == operation; });
    if (of == operations.end()) {
      of = operations.insert(operations.end(), OperationStages{std::string{operation}, {}});
    }
    auto at = std::find_if(of->stages.begin(), of->stages.end(),
                           [&](const OperationStages::Stage& it) { return it.name == stage; });
    if (at == of->stages.end()) {
      at = of->stages.insert(of->stages.end(), OperationStages::Stage{std::string{stage}, {}});
    }
    (is_sum ? at->sum.ns : at->sum.count) = metric.second;
  }
  metrics = std::move(rest);
  return operations;
}

std::string stages_as_text(const std::vector<OperationStages>& operations) {
  std::string text;
  for (const OperationStages& of : operations) {
    const StageSum& total = of.stages.back().sum;
    if (total.count == 0) continue;
    fmt::format_to(std::back_inserter(text), "\n{:<24} {:>12} {:>14} {:>8}\n",
                   "stages of " + of.operation, "counted", "mean", "part");
    for (const auto& [name, sum] : of.stages) {
      fmt::format_to(std::back_inserter(text), "  {:<22} {:>12} {:>14} {:>8}\n", name, sum.count,
                     mean_of(sum), part_of(sum, total));
    }
  }
  return text;
}

}  // namespace xbind
