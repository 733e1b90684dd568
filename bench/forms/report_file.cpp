#include "bench/forms/report_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "callgen/report/report_from_json.hpp"

namespace xbind::callgen {
namespace {

namespace fs = std::filesystem;
constexpr const char* kName = "run.json";

}  // namespace

Result<std::vector<std::string>> report_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return fail(ErrorCode::kNotFound, "there is no file and no folder {}", path);
  if (!fs::is_directory(path, error)) return std::vector{path};
  if (fs::exists(fs::path(path) / kName, error))
    return std::vector{(fs::path(path) / kName).string()};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const fs::path file = entry.path() / kName;
    if (entry.is_directory(error) && fs::exists(file, error)) files.push_back(file.string());
  }
  if (files.empty())
    return fail(ErrorCode::kNotFound, "folder {} has no {}, nor has any folder in it", path, kName);
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> read_text(const std::string& file) {
  std::error_code error;
  if (fs::file_size(file, error) > kLongestReport || error)
    return fail(ErrorCode::kSystem, "cannot read {}: {}", file,
                error ? error.message() : "it is too long for a report");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return fail(ErrorCode::kSystem, "cannot read {}: {}", file, std::strerror(errno));
  return text.str();
}

Result<RunReport> read_report(const std::string& file) {
  const auto text = read_text(file);
  if (!text) return tl::make_unexpected(text.error());
  auto report = report_from_json(*text);
  if (!report) return fail(report.error().code, "{}: {}", file, report.error().text);
  return report;
}

}  // namespace xbind::callgen
