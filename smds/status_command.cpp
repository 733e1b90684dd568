#include "smds/status_command.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/read_file.hpp"
#include "smds/status_document.hpp"

namespace xbind::smds {
namespace {

constexpr std::size_t kStatusOctetsMax = 64U << 20;

}  // namespace

Result<std::string> status_text(const std::string& directory, bool json) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(directory, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->path().extension() == ".json") files.push_back(at->path().string());
  }
  if (error) return fail(ErrorCode::kSystem, "{}: {}", directory, error.message());
  if (files.empty()) return fail(ErrorCode::kNotFound, "{} has no status of a server", directory);
  std::ranges::sort(files);
  std::vector<std::string> documents;
  for (const std::string& file : files) {
    auto text = read_file(file, kStatusOctetsMax);
    if (!text) return tl::make_unexpected(text.error());
    documents.push_back(std::move(*text));
  }
  return json ? status_array(documents) : status_table(documents);
}

}  // namespace xbind::smds
