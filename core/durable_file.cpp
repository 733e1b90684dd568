#include "core/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

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

std::string draft_of(const std::string& path) { return path + ".new"; }

// Removes what there is of the draft.
Result<void> failed(const std::string& path, std::string_view what) {
  const int reason = errno;
  ::unlink(draft_of(path).c_str());
  return fail(ErrorCode::kSystem, "{} cannot be {}: {}", path, what, std::strerror(reason));
}

Result<void> write_draft(const std::string& path, std::string_view text) {
  const Descriptor file(draft_of(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  if (!file.open() || !file.write(text) || !file.sync()) return failed(path, "written");
  return {};
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view text) {
  if (auto written = write_draft(path, text); !written) return written;
  if (std::rename(draft_of(path).c_str(), path.c_str()) != 0)
    return failed(path, "put in its place");
  // The directory entry must reach the disk too.
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!folder.open() || !folder.sync()) return failed(path, "kept");
  return {};
}

Result<void> try_file(const std::string& path, std::string_view text) {
  if (auto written = write_draft(path, text); !written) return written;
  if (::unlink(draft_of(path).c_str()) != 0) return failed(path, "written");
  return {};
}

Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t max) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) return std::nullopt;
  auto text = read_file(path, max);
  if (!text) return tl::make_unexpected(text.error());
  return std::move(*text);
}

bool make_state_dir(const std::string& path) {
  if (path.empty()) return true;
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) log::error("--state-dir {}: {}", path, failed.message());
  return !failed;
}

}  // namespace xbind
