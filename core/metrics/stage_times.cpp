#include "core/metrics/stage_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xbind {
namespace {

constexpr std::string_view kInfix = "_stage_";
constexpr std::string_view kSum = "_ns";
constexpr std::string_view kCount = "_count";

double mean_us(const StageSum& sum) {
  return sum.count == 0 ? 0 : static_cast<double>(sum.ns) / 1e3 / static_cast<double>(sum.count);
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
                   "stages of " + of.operation, "counted", "mean us", "part");
    for (const auto& [name, sum] : of.stages) {
      const double part =
          total.ns == 0 ? 0 : 100 * static_cast<double>(sum.ns) / static_cast<double>(total.ns);
      fmt::format_to(std::back_inserter(text), "  {:<22} {:>12} {:>14.1f} {:>6.1f} %\n", name,
                     sum.count, mean_us(sum), part);
    }
  }
  return text;
}

}  // namespace xbind
