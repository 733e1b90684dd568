// Reports that were written down: where they are, and what they say.
#pragma once

#include <string>
#include <vector>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// A file; of a folder its run.json, or those of the folders in it, by their names. kNotFound when there is
// none.
Result<std::vector<std::string>> report_files(const std::string& path);

// kSystem when it cannot be read; else what report_from_json() says, with the file's name.
Result<RunReport> read_report(const std::string& file);

}  // namespace xbind::callgen
