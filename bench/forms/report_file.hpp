// Finds and reads stored reports.
#pragma once

#include <string>
#include <vector>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// `path` itself if it is a file; for a folder its run.json, or those of its subfolders, by name.
// kNotFound if there is none.
Result<std::vector<std::string>> report_files(const std::string& path);

// kSystem if it cannot be read; otherwise the errors of report_from_json(), with the file's name.
Result<RunReport> read_report(const std::string& file);

}  // namespace xbind::callgen
