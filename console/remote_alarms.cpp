#include "console/remote_alarms.hpp"

#include <algorithm>
#include <utility>

#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "xbindctl/alarms.hpp"

namespace xbind::console {

RemoteAlarms::RemoteAlarms(orb::NameClient names, LiveBoard& board, Duration interval)
    : names_(std::move(names)),
      board_(board),
      interval_(std::max<Duration>(interval, kConsoleTimers["alarms-again"])) {}

RemoteAlarms::~RemoteAlarms() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RemoteAlarms::start() {
  thread_ = std::thread([this] { run(); });
}

void RemoteAlarms::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
  }
  changed_.notify_all();
}

void RemoteAlarms::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    hurried_ = false;
    lock.unlock();
    read();
    lock.lock();
    changed_.wait_for(lock, interval_, [&] { return ending_ || hurried_; });
  }
}

void RemoteAlarms::read() {
  const ctl::DocumentOrFailure answer = ctl::alarms_document(names_, {});
  if (!answer) return;  // the section "daemons" says that the name service does not answer
  Rows rows;
  for (const ctl::Json& alarm : answer->body["alarms"]) {
    // Without an id: a daemon did not answer, which the section "daemons" says, and since when.
    if (alarm["id"].is_null()) continue;
    rows.emplace(alarm["id"].get<std::string>(), text_of(alarm));
  }
  board_.publish("alarms", "all", std::move(rows));
}

}  // namespace xbind::console
