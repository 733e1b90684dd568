// The managers of a SwitchServer on disk: their names and highest epochs, so that after a restart
// it knows whose claims to wait for (settling.hpp), and which epochs are fenced off.
//
// A text: a line with the format, then a line with epoch and name for each manager, and the number
// of renewals of its epochs if there were any. Written before the manager can have a hop
// (durable_file.hpp). A file of another format is refused with its name, and never overwritten.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "switchserver/settling.hpp"

namespace xbind {

using KnownManagers = std::vector<KnownManager>;

// DIRECTORY/switchserver-NAME.managers
std::string manager_file_path(const std::string& directory, const std::string& name);

std::string managers_as_text(const KnownManagers& managers);
// kBadInput: another format; the text names `path` and the line.
Result<KnownManagers> managers_from_text(std::string_view text, const std::string& path);

// nullopt: there is no file. Errors as above; kSystem: it cannot be read.
Result<std::optional<KnownManagers>> read_managers(const std::string& path);

// Keeps the file as it should be. Any thread; one at a time waits for the disk.
class ManagerKeeper {
 public:
  // `path` empty: nothing is kept. `kept`: what the file has.
  ManagerKeeper(std::string path, std::optional<KnownManagers> kept)
      : path_(std::move(path)), kept_(std::move(kept)) {}

  // Writes what `managers` returns, if the file has something else. If that fails, logs a warning:
  // the SwitchServer goes on, and tries again with the next change.
  template <class Managers>
  void keep(Managers&& managers) {
    if (path_.empty()) return;
    const std::lock_guard lock(mutex_);  // the newest state is written last
    write(managers());
  }

  // The file, if its last change could not be written.
  std::optional<std::string> not_written() const {
    return failed_ ? std::optional(path_) : std::nullopt;
  }

 private:
  void write(const KnownManagers& managers);

  const std::string path_;
  std::mutex mutex_;
  std::optional<KnownManagers> kept_;
  std::atomic<bool> failed_ = false;
};

}  // namespace xbind
