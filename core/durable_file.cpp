#include "core/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/log.hpp"
#include "core/read_file.hpp"

namespace xbind {
namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags, 0644)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool open() const { return fd_ >= 0; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool sync() const { return ::fsync(fd_) == 0; }

 private:
  int fd_;
};

constexpr std::string_view kEndWords = "# end: ";

std::string end_mark_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{}{} octets, CRC-32 {:08x}\n", kEndWords, text.size(), crc.checksum());
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  const auto failed = [&](std::string_view what) {
    const int reason = errno;
    ::unlink(draft.c_str());
    return fail(ErrorCode::kSystem, "{} cannot be {}: {}", path, what, std::strerror(reason));
  };
  {
    const Descriptor file(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (!file.open() || !file.write(text) || !file.sync()) {
      return failed("written");
    }
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) return failed("put in its place");
  // The directory entry must reach the disk too.
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!folder.open() || !folder.sync()) return failed("kept");
  return {};
}

Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t max) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) return std::nullopt;
  auto text = read_file(path, max);
  if (!text) return tl::make_unexpected(text.error());
  return std::move(*text);
}

std::string with_end_mark(std::string text) {
  text += end_mark_of(text);
  return text;
}

Result<std::string_view> without_end_mark(std::string_view text, const std::string& path) {
  const std::size_t at = text.rfind(kEndWords);
  const std::string_view before = text.substr(0, at == std::string_view::npos ? 0 : at);
  const bool begins_a_line = before.empty() || before.ends_with('\n');
  if (at == std::string_view::npos || !begins_a_line || text.substr(at) != end_mark_of(before)) {
    return fail(ErrorCode::kBadInput,
                "{} is not whole: {} octets do not end with their own length and CRC-32", path,
                text.size());
  }
  return before;
}

bool make_state_dir(const std::string& path) {
  if (path.empty()) return true;
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) log::error("--state-dir {}: {}", path, failed.message());
  return !failed;
}

}  // namespace xbind
