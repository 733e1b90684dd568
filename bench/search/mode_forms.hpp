// The files of saturate, overload, soak and compare: JSON for programs, CSV for spreadsheets, and a
// page with curves. Each command's own file has its text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "bench/search/compare.hpp"
#include "bench/search/objective.hpp"
#include "bench/search/overload.hpp"
#include "bench/search/search.hpp"
#include "bench/search/soak.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// Objects "xbind.callgen.saturate/1" and so on, indented, with a newline at the end. Keys may be
// added, never renamed.
std::string to_json(const SearchResult& result, const std::vector<Objective>& objectives);
std::string to_json(const OverloadResult& result, const OverloadPlan& plan);
std::string to_json(const SoakFindings& findings, const SoakSeries& series, const SoakRule& rule);
std::string to_json(const std::vector<CompareLine>& lines, double tolerance,
                    const std::vector<std::string>& warnings);

// A line of names, then one for every run; for a soak, one for every window or sample.
std::string to_csv(const SearchResult& result);
std::string to_csv(const OverloadResult& result);
std::string to_csv(const SoakSeries& series);

// Errors: gnuplot failed.
Result<std::string> page_of(const SearchResult& result, const std::vector<Objective>& objectives);
Result<std::string> page_of(const OverloadResult& result, const OverloadPlan& plan);
Result<std::string> page_of(const SoakFindings& findings, const SoakSeries& series,
                            const SoakRule& rule);

// Writes all three into an existing folder, as NAME.json, NAME.csv and index.html.
struct ModeFiles {
  std::string name;
  std::string json;
  std::string csv;
  std::string html;
};
Result<void> write_files(const std::string& folder, const ModeFiles& files);

// Creates the folder if needed and tests whether those files can be written, without changing them.
// kSystem, with the path and the reason.
Result<void> prepare_folder(const std::string& folder, const std::string& name);

}  // namespace xbind::callgen
