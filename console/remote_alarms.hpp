// Reads the alarms of all daemons again and again, and publishes them (section "alarms"). It has a
// thread of its own, because it asks the daemons side by side and waits for the slowest of them
// (xbindctl/fleet.hpp). Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "console/live_board.hpp"
#include "core/clock.hpp"
#include "orb/name_client.hpp"

namespace xbind::console {

class RemoteAlarms {
 public:
  RemoteAlarms(orb::NameClient names, LiveBoard& board, Duration interval);
  // Waits for the calls under way.
  ~RemoteAlarms();
  RemoteAlarms(const RemoteAlarms&) = delete;
  RemoteAlarms& operator=(const RemoteAlarms&) = delete;

  void start();
  // Reads at once: an alarm has just been acknowledged.
  void hurry();

 private:
  void run();
  void read();

  orb::NameClient names_;
  LiveBoard& board_;
  const Duration interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  bool hurried_ = false;
  std::thread thread_;
};

}  // namespace xbind::console
