// The metrics of a program's status, each with a name, a kind, a unit and a sentence.
//
// A room has one table. Its code exports a metric only through a row of that table, so the table is
// complete:
//
//   inline constexpr CounterRow<DeskCounters> kDeskMetrics[] = {
//       {"commands", MetricKind::kCounter, "", "Commands sent.", &DeskCounters::commands}};
//   append(kDeskMetrics, desk.counters(), metrics);
//
// A row whose name has words in angle brackets stands for a family: "upcalls_<operation>". Code
// takes the name from MetricNames and fills in the words. Programs pass their tables to
// config::OptionSet::add_metrics(), which prints them for --print-metrics and docs/metrics.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xbind {

// Name and value, as in a status.
using Metrics = std::vector<std::pair<std::string, std::uint64_t>>;

// A counter only grows while the process lives; a gauge goes up and down.
enum class MetricKind : std::uint8_t { kCounter, kGauge };
constexpr std::string_view to_string(MetricKind kind) {
  return kind == MetricKind::kCounter ? "counter" : "gauge";
}

// Of a program with several switches: whether each switch has a value, or the process has one.
enum class MetricScope : std::uint8_t { kEach, kProcess };

struct MetricInfo {
  std::string_view name;
  MetricKind kind;
  std::string_view unit;  // "ns"; empty: a count or a code
  std::string_view help;  // one sentence
  MetricScope scope = MetricScope::kEach;
};

// A metric and the source of its value: a function of a reading, or a member of it.
template <class Reading, class Value = std::uint64_t (*)(const Reading&)>
struct MetricRow {
  std::string_view name;
  MetricKind kind;
  std::string_view unit;
  std::string_view help;
  Value value;
  MetricScope scope = MetricScope::kEach;

  constexpr MetricInfo info() const { return {name, kind, unit, help, scope}; }
};
template <class Counters>
using CounterRow = MetricRow<Counters, std::uint64_t Counters::*>;

// Appends the metrics of the rows, in their order.
template <class Reading, class Value, std::size_t N>
void append(const MetricRow<Reading, Value> (&rows)[N], const Reading& reading, Metrics& metrics) {
  for (const auto& row : rows) {
    metrics.emplace_back(std::string(row.name), std::invoke(row.value, reading));
  }
}

// Names of families, and of metrics whose values code appends one by one. A name that is not in the
// table does not compile.
template <std::size_t N>
class MetricNames {
 public:
  consteval MetricNames(const MetricInfo (&rows)[N]) : rows_{} {
    for (std::size_t at = 0; at < N; ++at) rows_[at] = rows[at];
  }
  consteval std::string_view operator[](std::string_view name) const {
    for (const MetricInfo& row : rows_) {
      if (row.name == name) return row.name;
    }
    throw "the table has no row of this name";
  }
  constexpr const std::array<MetricInfo, N>& rows() const { return rows_; }

 private:
  std::array<MetricInfo, N> rows_;
};

// Returns the family's name with `words`, in order, in place of the words in angle brackets.
std::string filled(std::string_view family, std::initializer_list<std::string_view> words);

// A table of any size, for printing and for tests.
struct MetricTable {
  std::string_view room;
  std::vector<MetricInfo> rows;
};
template <std::size_t N>
void append(const MetricNames<N>& names, MetricTable& table) {
  table.rows.insert(table.rows.end(), names.rows().begin(), names.rows().end());
}
template <class Reading, class Value, std::size_t N>
void append(const MetricRow<Reading, Value> (&rows)[N], MetricTable& table) {
  for (const auto& row : rows) table.rows.push_back(row.info());
}
// Builds a table from MetricNames and arrays of MetricRow.
template <class... Parts>
MetricTable metric_table(std::string_view room, const Parts&... parts) {
  MetricTable table{room, {}};
  (append(parts, table), ...);
  return table;
}

// Returns how many rows of the tables describe the exported name. A row with exactly that name
// takes precedence over families. Of the families those with the longest fixed part count:
// "upcalls_refused_<operation>" describes "upcalls_refused_list", and "upcalls_<operation>" does
// not.
std::size_t rows_describing(std::string_view exported, std::span<const MetricTable> tables);

// The row that describes an exported name, and the words that stand in place of its brackets.
struct DescribedMetric {
  const MetricTable* table = nullptr;
  const MetricInfo* row = nullptr;
  std::vector<std::string_view> words;  // of the exported name
};
// As rows_describing(); the first row if there are several, nullopt if there is none. The tables
// and the name must outlive the result.
std::optional<DescribedMetric> description_of(std::string_view exported,
                                              std::span<const MetricTable> tables);

}  // namespace xbind
