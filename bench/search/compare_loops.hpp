// The input of `xbind-callgen compare` from closed loops, as `xbind-callgen ceiling` writes them.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/search/compare.hpp"
#include "bench/search/compare_runs.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr const char* kLoopSchema = "xbind.ceiling/1";

struct LoopRun {
  double operations_per_s = 0;
  double commands_per_operation = 0;  // hop commands
  std::uint64_t outstanding = 0;      // requests under way
  std::uint64_t client_batch = 0;
  bool clean = false;  // everything was answered and the audit found nothing
};

// Nothing when the text is not JSON or has another schema. kBadInput when a member is missing.
std::optional<Result<LoopRun>> loop_from_json(std::string_view text);

// "operations" and "commands" (hop commands) a second. Zero for every other metric: not measured.
MetricOfRun metric_of(const LoopRun& run, const Metric& metric);

// Like the functions for runs (compare_runs.hpp).
std::vector<std::string> other_loads(const std::vector<LoopRun>& a, const std::vector<LoopRun>& b);
std::vector<std::string> warnings_of(const std::vector<LoopRun>& a, const std::vector<LoopRun>& b);

}  // namespace xbind::callgen
