#include "bench/search/compare_loops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

namespace xbind::callgen {
namespace {

std::set<std::uint64_t> values_of(const std::vector<LoopRun>& runs,
                                  std::uint64_t LoopRun::*member) {
  std::set<std::uint64_t> values;
  for (const LoopRun& run : runs) values.insert(run.*member);
  return values;
}

}  // namespace

std::optional<Result<LoopRun>> loop_from_json(std::string_view text) {
  const auto root = nlohmann::json::parse(text, nullptr, false);
  if (!root.is_object() || root.value("schema", nlohmann::json()) != kLoopSchema)
    return std::nullopt;
  try {
    LoopRun run;
    root.at("operations_per_s").get_to(run.operations_per_s);
    root.at("commands_per_operation").get_to(run.commands_per_operation);
    root.at("outstanding").get_to(run.outstanding);
    root.at("client_batch").get_to(run.client_batch);
    run.clean = root.at("audit_clean").get<bool>() && root.at("unanswered").get<double>() == 0 &&
                root.at("refused").get<double>() == 0;
    return run;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::kBadInput, "not what `ceiling` writes: {}", error.what());
  }
}

MetricOfRun metric_of(const LoopRun& run, const Metric& metric) {
  if (metric.name == "operations") return {run.operations_per_s, {}};
  if (metric.name == "commands") return {run.operations_per_s * run.commands_per_operation, {}};
  return {};
}

std::vector<std::string> other_loads(const std::vector<LoopRun>& a, const std::vector<LoopRun>& b) {
  std::vector<std::string> differences;
  for (const auto& [what, member] :
       {std::pair{"requests under way", &LoopRun::outstanding},
        std::pair{"most requests in a message", &LoopRun::client_batch}}) {
    const auto in_a = values_of(a, member);
    const auto in_b = values_of(b, member);
    if (in_a != in_b)
      differences.push_back(fmt::format("{}: {} in A, {} in B", what, fmt::join(in_a, " and "),
                                        fmt::join(in_b, " and ")));
  }
  return differences;
}

std::vector<std::string> warnings_of(const std::vector<LoopRun>& a, const std::vector<LoopRun>& b) {
  std::vector<std::string> warnings;
  for (const auto& [side, runs] : {std::pair{"A", &a}, std::pair{"B", &b}}) {
    for (std::size_t i = 0; i < runs->size(); ++i) {
      if (!(*runs)[i].clean)
        warnings.push_back(fmt::format(
            "run {} of {} has failed: not everything was done, or its audit is not clean", i + 1,
            side));
    }
  }
  return warnings;
}

}  // namespace xbind::callgen
