#include "bench/forms/output_options.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>

#include "bench/forms/hgrm.hpp"
#include "bench/forms/report_page.hpp"
#include "bench/plot/plot.hpp"
#include "callgen/report/json_file.hpp"
#include "callgen/statistics/series.hpp"

namespace xbind::callgen {
namespace {

constexpr std::array<const char*, 5> kFiles{"run.json", "series.csv", "latency.hgrm", "summary.txt",
                                            "index.html"};

std::string in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

std::optional<std::string> unwritable(const char* option, const std::string& path) {
  if (path.empty()) return std::nullopt;
  if (const auto writable = check_writable(path); !writable)
    return fmt::format("option --{}: {}", option, writable.error().text);
  return std::nullopt;
}

std::optional<std::string> unusable_folder(const std::string& folder) {
  if (folder.empty()) return std::nullopt;
  std::error_code wrong;
  std::filesystem::create_directory(folder, wrong);
  if (wrong) return fmt::format("option --out: cannot make {}: {}", folder, wrong.message());
  for (const char* const file : kFiles) {
    if (const auto trouble = unwritable("out", in(folder, file))) return trouble;
  }
  if (const auto gnuplot = plot::check_gnuplot(); !gnuplot)
    return fmt::format("option --out: {}", gnuplot.error().text);
  return std::nullopt;
}

}  // namespace

std::string mark_of(const RunReport& report) {
  return report.interrupted ? "# " + interruption_of(report) + "\n" : std::string{};
}

void declare_output_options(config::OptionSet& set, OutputOptions& options) {
  set.add_string("csv", &options.csv, "", "File for the run over time: a line for every interval.");
  set.add_string("records", &options.records, "",
                 "File for every request of the run, a line each.");
  set.add_string(
      "out", &options.out, "",
      "Folder for run.json, series.csv, latency.hgrm, summary.txt and the page index.html.");
  set.add_check([&options] { return unwritable("csv", options.csv); });
  set.add_check([&options] { return unwritable("records", options.records); });
  set.add_check([&options] { return unusable_folder(options.out); });
}

Result<void> write_outputs(const OutputOptions& options, const RunReport& report) {
  Result<void> first;
  const auto note = [&first](Result<void> written) {
    if (first && !written) first = std::move(written);
  };
  if (!options.csv.empty()) note(write_file(options.csv, to_csv(report.series) + mark_of(report)));
  if (options.out.empty()) return first;
  note(write_file(in(options.out, "run.json"), to_json(report)));
  note(write_renderings(options.out, report));
  return first;
}

Result<void> write_renderings(const std::string& folder, const RunReport& report) {
  Result<void> first;
  const auto note = [&first](Result<void> written) {
    if (first && !written) first = std::move(written);
  };
  note(write_file(in(folder, "series.csv"), to_csv(report.series) + mark_of(report)));
  const auto setups = report.kinds.find(RequestKind::kSetup);
  note(write_file(in(folder, "latency.hgrm"),
                  to_hgrm(setups == report.kinds.end() ? Histogram{} : setups->second.latency) +
                      mark_of(report)));
  note(write_file(in(folder, "summary.txt"), to_text(report)));
  const auto page = report_page(report, "A run of xbind-callgen");
  if (page)
    note(write_file(in(folder, "index.html"), *page));
  else
    note(tl::make_unexpected(page.error()));
  return first;
}

}  // namespace xbind::callgen
