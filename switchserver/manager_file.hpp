// The managers of a SwitchServer on disk: their names and highest epochs, so that after a restart
// it knows whose claims to wait for (settling.hpp), and which epochs are fenced off.
//
// A state file (core/state_file.hpp) whose content is a line for each manager: epoch and name, the
// number of renewals of its epochs if there were any, and `table-lost` where the switch has lost
// its table while claims were awaited. Written before the manager can have a hop.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "switchserver/controller/settling.hpp"

namespace xbind {

using KnownManagers = std::vector<KnownManager>;

// DIRECTORY/switchserver-NAME.managers
std::string manager_file_path(const std::string& directory, const std::string& name);

std::string managers_as_text(const KnownManagers& managers);
// kBadInput: another format, or not whole; the text names `path` and the line.
Result<KnownManagers> managers_from_text(std::string_view text, const std::string& path);

// nullopt: there is no file. Errors as above, and of read_state().
Result<std::optional<KnownManagers>> read_managers(const std::string& path);

// Keeps the file as it should be. Any thread; one at a time waits for the disk.
class ManagerKeeper {
 public:
  // `path` empty: nothing is kept.
  explicit ManagerKeeper(std::string path) : path_(std::move(path)) {}

  // Writes what `managers` returns, unless it has written that before. If that fails, logs a
  // warning: the SwitchServer goes on, and the file is written as soon as that works again.
  template <class Managers>
  void keep(Managers&& managers) {
    if (path_.empty()) return;
    const std::lock_guard lock(mutex_);  // the newest state is written last
    write(managers());
  }
  // The same from the logic's thread, which must not wait for the disk: adds `table_lost` of these
  // managers to what was written last. Another thread writes it, soon.
  void note_table_lost(const KnownManagers& managers);

 private:
  void write(const KnownManagers& managers);
  void write_lost(const std::stop_token& ends);

  const std::string path_;
  std::mutex mutex_;
  std::optional<KnownManagers> written_;
  std::mutex lost_mutex_;
  std::condition_variable_any changed_;
  KnownManagers lost_;   // still to be written
  std::jthread thread_;  // from the first such loss on; last: it uses the others
};

}  // namespace xbind
