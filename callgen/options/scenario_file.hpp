// Scenario files: the phases of a run, the classes of its calls, and commands that are run at a
// time. callgen/README.md has every key.
//
//   [[phase]]
//   name = "morning"
//   length = 60             # seconds
//   rate = 100              # calls a second
//   ramp-to = 400
//   classes = ["voice=9", "video=1"]
//
//   [[class]]
//   name = "voice"
//   cells-per-s = 200
//
//   [[event]]
//   name = "cut"
//   at = 30
//   run = "deploy/lab set link1 down"
//
// What a phase leaves out has the value of the option of the same name. Pure, except
// that load_scenario() reads a file; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/matrix.hpp"
#include "callgen/load/rate_curve.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/run/phases.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::size_t kScenarioOctetsMax = 1U << 20;
inline constexpr std::size_t kEventsMax = 64;
inline constexpr std::size_t kEventWordsMax = 64;
inline constexpr double kEventTimeoutMax_s = 600;

struct ScenarioPhase {
  std::string name;
  RatePiece rate;
  std::optional<double> hold{};  // seconds
  std::optional<HoldDistribution> hold_distribution{};
  std::optional<double> hold_sigma{};
  std::optional<ScenarioMix> mix{};
  std::vector<double> classes{};  // weights by class; empty: without classes
  std::optional<Matrix> matrix{};
  std::string hotspot{};
  double hotspot_share = 0;
};

struct ScenarioEvent {
  std::string name;
  Duration at{};                     // on the clock of the plan
  std::vector<std::string> command;  // a program and its arguments; no shell
  Duration timeout{};
  std::string place;  // "FILE line N"
};

struct ScenarioFile {
  std::string path;
  std::vector<ScenarioPhase> phases;  // at least one
  std::vector<CallClass> classes;
  std::vector<ScenarioEvent> events;  // by time

  Duration length() const;
};

// kBadInput, with file, line and the value: not TOML, an unknown table or key, a value out of
// bounds, a name twice, a class that no phase offers or that is unknown, an event after the end.
Result<ScenarioFile> parse_scenario(std::string_view text, const std::string& path);
// The same from a file. kSystem: it cannot be read.
Result<ScenarioFile> load_scenario(const std::string& path);

}  // namespace xbind::callgen
