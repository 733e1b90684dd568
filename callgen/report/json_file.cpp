#include "callgen/report/json_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace xbind::callgen {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

tl::unexpected<Error> refused(const std::string& path) {
  return fail(ErrorCode::kSystem, "cannot write {}: {}", path, std::strerror(errno));
}

}  // namespace

Result<void> check_writable(const std::string& path) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path, ignored);
  const File file{std::fopen(path.c_str(), "a")};
  if (!file) return refused(path);
  if (!existed) std::filesystem::remove(path, ignored);
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  File file{std::fopen(path.c_str(), "w")};
  if (!file) return refused(path);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return refused(path);
  if (std::fclose(file.release()) != 0) return refused(path);
  return {};
}

}  // namespace xbind::callgen
