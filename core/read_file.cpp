#include "core/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace xbind {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

tl::unexpected<Error> unreadable(const std::string& path, int error) {
  return fail(ErrorCode::kSystem, "cannot read {}: {}", path,
              std::generic_category().message(error));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t octets_max) {
  const std::unique_ptr<std::FILE, Close> file{std::fopen(path.c_str(), "rb")};
  if (!file) return unreadable(path, errno);
  std::string text;
  std::array<char, 16384> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    // Checked before the text is appended: an endless file costs no more than octets_max.
    if (count > octets_max - text.size()) {
      return fail(ErrorCode::kBadInput, "{} is longer than {} octets", path, octets_max);
    }
    text.append(chunk.data(), count);
  }
  if (std::ferror(file.get())) return unreadable(path, errno);
  return text;
}

}  // namespace xbind
