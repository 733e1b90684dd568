// Where a run's report goes besides the terminal. Everything is tried before the run: an hour's figures
// must not be lost to a typing error.
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

// The last line of a CSV or of latency.hgrm of a run that was interrupted, "# INTERRUPTED after
// ..."; empty of any other.
std::string mark_of(const RunReport& report);

// Refuses, with the system's reason, what cannot be written; a folder is made if it is not there, in a
// folder that is. --out also needs gnuplot. `options` outlives the set's load().
void declare_output_options(config::OptionSet& set, OutputOptions& options);

// The series, and with --out run.json, series.csv, latency.hgrm, summary.txt and index.html. All that can be
// written is; the error is the first one.
Result<void> write_outputs(const OutputOptions& options, const RunReport& report);
// The same of a folder that has run.json already: the other four, made from `report`.
Result<void> write_renderings(const std::string& folder, const RunReport& report);

}  // namespace xbind::callgen
