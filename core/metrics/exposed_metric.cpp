#include "core/metrics/exposed_metric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/metrics/stage_times.hpp"

namespace xbind {
namespace {

struct Unit {
  std::string_view unit;     // of a row
  std::string_view part;     // of the row's name, which says the unit
  std::string_view exposed;  // last part of the family's name
  double scale;
};
constexpr std::array kUnits{
    Unit{"ns", "ns", "seconds", 1e-9},
    Unit{"us", "us", "seconds", 1e-6},
    Unit{"ms", "ms", "seconds", 1e-3},
    Unit{"KiB", "kib", "bytes", 1024},
    Unit{"octets", "octets", "bytes", 1},
    Unit{"1/s", "per_s", "per_second", 1},
    Unit{"cells/s", "cells_per_s", "cells_per_second", 1},
};

// The parts of a name between '_' and '/'; a part in brackets stays whole.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    if (at < name.size() && name[at] != '_' && name[at] != '/') continue;
    if (at > begin) parts.push_back(name.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

bool in_brackets(std::string_view part) { return part.front() == '<'; }
std::string_view word_of(std::string_view part) { return part.substr(1, part.size() - 2); }

// Takes the unit's parts out of the name, if they are there.
void take_unit(std::vector<std::string_view>& parts, std::string_view unit) {
  const auto words = parts_of(unit);
  // Not std::ranges::search, whose result clang 14 does not compile.
  const auto found = std::search(parts.begin(), parts.end(), words.begin(), words.end());
  if (found != parts.end()) parts.erase(found, found + static_cast<long>(words.size()));
}

}  // namespace

std::string ExposedMetric::text() const {
  return labels.empty() ? family : fmt::format("{}{{{}}}", family, fmt::join(labels, ","));
}

ExposedMetric exposed_metric(std::string_view room, const MetricInfo& row) {
  ExposedMetric exposed;
  if (row.name == kStageNs || row.name == kStageCount) {
    exposed.family = fmt::format("xbind_{}_stage_seconds", room);
    exposed.labels = {"operation", "stage"};
    exposed.histogram = true;
    return exposed;
  }
  std::vector<std::string_view> parts = parts_of(row.name);
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (!in_brackets(parts[at])) {
      words.push_back(parts[at]);
      continue;
    }
    exposed.labels.emplace_back(word_of(parts[at]));
    const bool in_the_middle =
        at > 0 && std::any_of(parts.begin() + static_cast<long>(at) + 1, parts.end(),
                              [](std::string_view part) { return !in_brackets(part); });
    if (in_the_middle) words.push_back(word_of(parts[at]));
  }
  if (words.size() > 1 && words.front() == room) words.erase(words.begin());
  std::string_view suffix;
  for (const Unit& unit : kUnits) {
    if (unit.unit != row.unit) continue;
    take_unit(words, unit.part);
    suffix = unit.exposed;
    exposed.scale = unit.scale;
  }
  exposed.family = fmt::format("xbind_{}", room);
  for (const std::string_view word : words) exposed.family += fmt::format("_{}", word);
  if (!suffix.empty()) exposed.family += fmt::format("_{}", suffix);
  if (row.kind == MetricKind::kCounter) exposed.family += "_total";
  return exposed;
}

}  // namespace xbind
