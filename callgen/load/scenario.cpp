#include "callgen/load/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "callgen/load/words.hpp"
#include "core/name.hpp"

namespace xbind::callgen {
namespace {

// Fills `weights` from the parts; names(i) is the name of number i.
template <std::size_t N, class Names>
Result<std::array<double, N>> weights_of(const std::vector<std::string>& parts,
                                         std::string_view what, Names names) {
  std::array<double, N> weights{};
  std::array<bool, N> named{};
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    const std::string_view name = std::string_view{part}.substr(0, equals);
    std::size_t index = 0;
    while (index < N && names(index) != name) ++index;
    if (index == N) {
      std::vector<std::string> known;
      for (std::size_t i = 0; i < N; ++i) known.emplace_back(names(i));
      return fail(ErrorCode::kBadInput, "'{}': there is no {} {}, but {}", printable(part), what,
                  printable(name), fmt::join(known, ", "));
    }
    if (named[index])
      return fail(ErrorCode::kBadInput, "'{}': {} {} is named twice", printable(part), what, name);
    named[index] = true;
    const std::optional<double> weight =
        equals == std::string::npos ? 1.0 : number_of(std::string_view{part}.substr(equals + 1));
    if (!weight || *weight <= 0 || *weight > kWeightMax)
      return fail(ErrorCode::kBadInput, "'{}': the weight is no number above 0 and up to {:.0f}",
                  printable(part), kWeightMax);
    weights[index] = *weight;
  }
  return weights;
}

template <std::size_t N, class Names>
std::string text_of(const std::array<double, N>& weights, Names names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < N; ++i)
    if (weights[i] > 0) parts.push_back(fmt::format("{}={}", names(i), weights[i]));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string_view scenario_name(std::size_t index) {
  return to_string(static_cast<Scenario>(index));
}
std::string priority_name(std::size_t index) { return std::to_string(index); }

}  // namespace

std::string_view to_string(Scenario scenario) {
  switch (scenario) {
    case Scenario::kSetup: return "setup";
    case Scenario::kModify: return "modify";
    case Scenario::kLeaf: return "leaf";
    case Scenario::kHold: return "hold";
  }
  XB_CHECK(false);
}

Result<ScenarioMix> parse_mix(const std::vector<std::string>& parts) {
  if (parts.empty()) return ScenarioMix{};
  const auto weights = weights_of<kScenarios>(parts, "scenario", scenario_name);
  if (!weights) return tl::make_unexpected(weights.error());
  return ScenarioMix{*weights};
}

Result<PriorityMix> parse_priorities(const std::vector<std::string>& parts) {
  if (parts.empty()) return PriorityMix{};
  const auto weights = weights_of<kPriorities>(parts, "priority", priority_name);
  if (!weights) return tl::make_unexpected(weights.error());
  return PriorityMix{*weights};
}

std::string to_string(const ScenarioMix& mix) { return text_of(mix.weights, scenario_name); }
std::string to_string(const PriorityMix& mix) { return text_of(mix.weights, priority_name); }

}  // namespace xbind::callgen
