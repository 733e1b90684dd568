// xbind-callgen compare A B: is B worse?
#include "bench/search/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "bench/commands/commands.hpp"
#include "bench/forms/report_file.hpp"
#include "bench/search/compare_loops.hpp"
#include "bench/search/compare_runs.hpp"
#include "bench/search/mode_forms.hpp"
#include "bench/search/objective.hpp"
#include "callgen/report/json_file.hpp"
#include "callgen/report/report_from_json.hpp"
#include "core/config/options.hpp"
#include "core/output.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kMostRuns = 1000;

struct CompareOptions {
  std::vector<std::string> sides;
  std::vector<std::string> metrics;
  std::string tolerance;
  std::string json;
  bool any_load = false;
};

void declare(config::OptionSet& set, CompareOptions& options) {
  set.take_arguments("A B", &options.sides, 2, 2);
  set.add_strings("metric", &options.metrics,
                  "What is compared: p50, p99 and the like, mean, release-p50 and the like, "
                  "release-mean, operations, commands, cpu; none: p50,p99,mean,operations "
                  "(of closed loops: operations).");
  set.add_string("tolerance", &options.tolerance, "10%",
                 "How much worse B may be, 0% to 100%, before the exit code is 1.");
  set.add_flag("any-load", &options.any_load, "Compare runs of different loads all the same.");
  set.add_string("json", &options.json, "", "File to write the comparison to as JSON.");
  set.add_check([&options]() -> std::optional<std::string> {
    if (!fraction_of(options.tolerance))
      return fmt::format("option --tolerance: '{}' is not 0% to 100%", options.tolerance);
    if (const auto metrics = parse_metrics(options.metrics); !metrics)
      return "option --metric: " + metrics.error().text;
    if (options.json.empty()) return std::nullopt;
    const auto writable = check_writable(options.json);
    return writable ? std::nullopt : std::optional{"option --json: " + writable.error().text};
  });
}

// The runs of one side: files or folders, separated by commas.
struct Side {
  std::vector<RunReport> runs;
  std::vector<LoopRun> loops;

  std::size_t size() const { return runs.size() + loops.size(); }
};

Result<void> read_into(Side& side, const std::string& file) {
  const auto text = read_text(file);
  if (!text) return tl::make_unexpected(text.error());
  if (auto loop = loop_from_json(*text)) {
    if (!*loop) return fail(loop->error().code, "{}: {}", file, loop->error().text);
    side.loops.push_back(**loop);
    return {};
  }
  auto report = report_from_json(*text);
  if (!report) return fail(report.error().code, "{}: {}", file, report.error().text);
  side.runs.push_back(std::move(*report));
  return {};
}

Result<Side> read_side(const std::string& words) {
  Side side;
  std::istringstream parts(words);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto files = report_files(part);
    if (!files) return tl::make_unexpected(files.error());
    for (const std::string& file : *files) {
      if (side.size() == kMostRuns)
        return fail(ErrorCode::kBadInput, "{} has more than {} runs", words, kMostRuns);
      if (const auto read = read_into(side, file); !read) return tl::make_unexpected(read.error());
    }
  }
  return side;
}

// The lines of the comparison and its warnings; `loads` has the differences of the loads.
struct Comparison {
  std::vector<std::string> loads;
  std::vector<std::string> warnings;
  std::vector<CompareLine> lines;
};

template <class Run>
Comparison compare_sides(const std::vector<Run>& a, const std::vector<Run>& b,
                         const std::vector<Metric>& metrics) {
  Comparison made{.loads = other_loads(a, b), .warnings = warnings_of(a, b), .lines = {}};
  for (const Metric& metric : metrics) {
    std::vector<MetricOfRun> of_a;
    std::vector<MetricOfRun> of_b;
    of_a.reserve(a.size());
    of_b.reserve(b.size());
    for (const Run& run : a) of_a.push_back(metric_of(run, metric));
    for (const Run& run : b) of_b.push_back(metric_of(run, metric));
    made.lines.push_back(compare(metric.name, metric.better, of_a, of_b));
  }
  return made;
}

int compare_command(int argc, char** argv) {
  CompareOptions options;
  config::OptionSet set("xbind-callgen compare",
                        "Compares runs: is B worse than A? Each is a run's JSON, a folder with one "
                        "or with folders of them, or several separated by commas; or the same "
                        "of closed loops, as ceiling writes them.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const double tolerance = *fraction_of(options.tolerance);

  const auto a = read_side(options.sides[0]);
  if (!a) return refuse("compare", a.error().text);
  const auto b = read_side(options.sides[1]);
  if (!b) return refuse("compare", b.error().text);
  const bool of_loops = !a->loops.empty() || !b->loops.empty();
  if (of_loops && (!a->runs.empty() || !b->runs.empty()))
    return refuse("compare",
                  "some files are of open loads and some of closed loops, which do not compare");
  if (options.metrics.empty())
    options.metrics = of_loops ? std::vector<std::string>{"operations"}
                               : std::vector<std::string>{"p50", "p99", "mean", "operations"};
  const auto metrics = parse_metrics(options.metrics);
  auto [loads, warnings, lines] = of_loops ? compare_sides(a->loops, b->loops, *metrics)
                                           : compare_sides(a->runs, b->runs, *metrics);
  if (!loads.empty() && !options.any_load)
    return refuse(
        "compare",
        fmt::format("A and B have different loads, so their figures do not compare the systems "
                    "(--any-load compares them anyway): {}",
                    fmt::join(loads, "; ")));
  warnings.insert(warnings.end(), loads.begin(), loads.end());

  std::printf("A: %s, %zu run%s\nB: %s, %zu run%s\n", options.sides[0].c_str(), a->size(),
              a->size() == 1 ? "" : "s", options.sides[1].c_str(), b->size(),
              b->size() == 1 ? "" : "s");
  for (const std::string& warning : warnings) std::printf("Note: %s\n", warning.c_str());
  print_output(to_text(lines, tolerance));
  if (a->size() == 1 || b->size() == 1)
    std::printf("One run shows how a metric moves within it, not from one run to the next.\n");
  if (!options.json.empty()) {
    const auto written = write_file(options.json, to_json(lines, tolerance, warnings));
    if (!written) {
      std::fprintf(stderr, "xbind-callgen: %s\n", written.error().text.c_str());
      return 1;
    }
  }
  return exit_code(lines, tolerance);
}

}  // namespace

const Command kCompare{"compare", "Compares one run, or several, with others: is it worse?",
                       compare_command};

}  // namespace xbind::callgen
