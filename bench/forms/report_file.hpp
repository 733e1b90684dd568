// Reads reports from files: finds the files of a folder, and parses them.
#pragma once

#include <string>
#include <vector>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// The file itself; or the run.json of a folder; or those of the folders in it, sorted by name.
// kNotFound when there is none.
Result<std::vector<std::string>> report_files(const std::string& path);

// kSystem when it cannot be read or is too long for a report.
Result<std::string> read_text(const std::string& file);

// kSystem when it cannot be read; else the error of report_from_json(), with the file's name.
Result<RunReport> read_report(const std::string& file);

}  // namespace xbind::callgen
