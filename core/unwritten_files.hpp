// The state files of a process that could not be written, for the alarm `state-not-written`, and
// the thread that writes them as soon as that works again.
//
// The thread exists from the first failure on. It writes what is still wanted; where the caller has
// taken back what it was about to store, it writes the refused text to a draft and removes that, so
// that the file is known to be writable again without waiting for the next change.
//
// Thread-safe. Bound: as many entries as the process has state files.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/back_off.hpp"
#include "core/result.hpp"
#include "core/state_file.hpp"

namespace xbind {

class UnwrittenFiles {
 public:
  explicit UnwrittenFiles(BackOff::Bounds retry = {}) : retry_(retry) {}
  UnwrittenFiles(const UnwrittenFiles&) = delete;
  UnwrittenFiles& operator=(const UnwrittenFiles&) = delete;
  ~UnwrittenFiles();
  static UnwrittenFiles& of_process();

  // As replace_file(). After a failure the path is one of failures() until a later write, or one of
  // the thread, succeeds.
  Result<void> write(const std::string& path, std::string text, Unwritten unwritten);

  struct Failure {
    std::string path;
    std::string why;  // with the path
  };
  // Does not wait for the disk.
  std::vector<Failure> failures() const;

 private:
  struct Text {
    std::string text;
    Unwritten unwritten = Unwritten::kWanted;
    std::string why;
  };
  // Waits until nobody else writes the path.
  void begin(std::unique_lock<std::mutex>& lock, const std::string& path);
  void end(const std::string& path);
  void start_thread();  // the caller holds the lock
  void run(const std::stop_token& ends);
  void try_again(const std::string& path);

  const BackOff::Bounds retry_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> busy_;  // are being written
  std::map<std::string, Text> failed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace xbind
