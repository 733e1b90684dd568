// The files of a run's report besides the terminal. All paths are tried before the run, so that a
// typing error does not lose an hour's figures.
#pragma once

#include <string>

#include "callgen/report/report.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct OutputOptions {
  std::string csv;      // file; empty: none
  std::string records;  // file; empty: none
  std::string out;      // folder; empty: none
};

// The last line of a CSV file or latency.hgrm of an interrupted run, "# INTERRUPTED after ...";
// empty for any other run.
std::string mark_of(const RunReport& report);

// Refuses paths that cannot be written, with the system's reason. A missing folder is created if
// its parent exists. --out also needs gnuplot. `options` must outlive the set's load().
void declare_output_options(config::OptionSet& set, OutputOptions& options);

// Writes the series and, with --out, run.json, series.csv, latency.hgrm, summary.txt and
// index.html. After an error the other files are still written; the first error is returned.
Result<void> write_outputs(const OutputOptions& options, const RunReport& report);
// For a folder that already has run.json: writes the other four files from `report`.
Result<void> write_renderings(const std::string& folder, const RunReport& report);

}  // namespace xbind::callgen
