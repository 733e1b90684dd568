// The phases and classes of calls of a scenario, as a run plays them; options/scenario_file.hpp
// reads them. The phase of a call is that of its planned start, on the clock of the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/matrix.hpp"
#include "callgen/load/rate_curve.hpp"
#include "callgen/load/scenario.hpp"
#include "core/call.hpp"

namespace xbind::callgen {

// A class of calls: its contract, priority and ends.
struct CallClass {
  std::string name;
  ServiceSpec service;
  std::uint8_t priority = 0;
  // As in MatrixSpec; both empty: the ends of the phase.
  std::vector<WeightedEnd> callers{};
  std::vector<WeightedEnd> callees{};
};

struct Phase {
  std::string name;
  RatePiece rate;
  Duration hold_mean{};
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  double hold_sigma = 1;
  ScenarioMix mix{};
  std::vector<double> classes{};       // weights by class; empty: the run has no classes
  std::optional<MatrixSpec> matrix{};  // nullopt: the run's
};

inline constexpr std::size_t kPhasesMax = 256;
inline constexpr std::size_t kClassesMax = 64;

}  // namespace xbind::callgen
