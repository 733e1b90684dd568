#include "core/unwritten_files.hpp"

#include <system_error>
#include <utility>

#include "core/durable_file.hpp"
#include "core/log.hpp"

namespace xbind {

UnwrittenFiles& UnwrittenFiles::of_process() {
  static UnwrittenFiles files;
  return files;
}

UnwrittenFiles::~UnwrittenFiles() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void UnwrittenFiles::begin(std::unique_lock<std::mutex>& lock, const std::string& path) {
  changed_.wait(lock, [&] { return !busy_.contains(path); });
  busy_.insert(path);
}

void UnwrittenFiles::end(const std::string& path) {
  busy_.erase(path);
  changed_.notify_all();
}

Result<void> UnwrittenFiles::write(const std::string& path, std::string text, Unwritten unwritten) {
  std::unique_lock lock(mutex_);
  begin(lock, path);
  lock.unlock();
  auto written = replace_file(path, text);
  lock.lock();
  end(path);
  if (written) {
    failed_.erase(path);
    return {};
  }
  const auto earlier = failed_.find(path);
  // What is still wanted there goes before what has just been taken back.
  const bool keeps = unwritten == Unwritten::kUndone && earlier != failed_.end() &&
                     earlier->second.unwritten == Unwritten::kWanted;
  if (!keeps)
    failed_.insert_or_assign(path, Text{std::move(text), unwritten, written.error().text});
  start_thread();
  return written;
}

std::vector<UnwrittenFiles::Failure> UnwrittenFiles::failures() const {
  const std::lock_guard lock(mutex_);
  std::vector<Failure> all;
  for (const auto& [path, text] : failed_) all.push_back({path, text.why});
  return all;
}

void UnwrittenFiles::start_thread() {
  if (thread_.joinable()) {
    changed_.notify_all();
    return;
  }
  try {
    thread_ = std::jthread([this](const std::stop_token& ends) { run(ends); });
  } catch (const std::system_error& none) {
    log::error("no thread to write state files again: {}; the next change writes them",
               none.what());
  }
}

void UnwrittenFiles::run(const std::stop_token& ends) {
  BackOff wait(retry_);
  std::unique_lock lock(mutex_);
  while (!ends.stop_requested()) {
    if (failed_.empty()) {
      wait.reset();
      changed_.wait(lock, ends, [this] { return !failed_.empty(); });
      continue;
    }
    changed_.wait_for(lock, ends, wait.next(), [] { return false; });
    std::vector<std::string> paths;
    for (const auto& [path, text] : failed_) paths.push_back(path);
    lock.unlock();
    for (const std::string& path : paths) {
      if (!ends.stop_requested()) try_again(path);
    }
    lock.lock();
  }
}

void UnwrittenFiles::try_again(const std::string& path) {
  std::unique_lock lock(mutex_);
  begin(lock, path);
  const auto failed = failed_.find(path);
  if (failed == failed_.end()) return end(path);  // a change has written it meanwhile
  const Text wanted = failed->second;
  lock.unlock();
  const bool undone = wanted.unwritten == Unwritten::kUndone;
  const auto written = undone ? try_file(path, wanted.text) : replace_file(path, wanted.text);
  if (written) {
    log::info("{} {}", path, undone ? "can be written again" : "is written, after failures");
  }
  lock.lock();
  end(path);
  if (written) {
    failed_.erase(path);
  } else {
    failed_.at(path).why = written.error().text;
  }
}

}  // namespace xbind
