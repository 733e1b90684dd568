// Finds the daemons of the network by the name service and reads each of them again and again. A
// daemon that is gone or slow costs the others nothing: each process of the network has a thread of
// its own here, which asks the daemons of that process one after another.
//
//   name service ──▶ watcher ──▶ a lane for each process ──▶ RemoteReader ──▶ LiveBoard
//
// Publishes the section "daemons": who there is, and whether it answers. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "console/live_board.hpp"
#include "console/metrics.hpp"
#include "console/problem.hpp"
#include "console/remote_reader.hpp"
#include "core/clock.hpp"
#include "orb/name_client.hpp"

namespace xbind::console {

inline constexpr std::size_t kDaemonsMax = 4'096;  // further names are not read
inline constexpr std::size_t kLanesMax = 64;       // further processes share a lane

class RemoteWatch {
 public:
  RemoteWatch(orb::NameClient names, RemoteReader& reader, LiveBoard& board, Duration interval);
  // Waits for the calls under way.
  ~RemoteWatch();
  RemoteWatch(const RemoteWatch&) = delete;
  RemoteWatch& operator=(const RemoteWatch&) = delete;

  void start();
  // Reads all daemons at once instead of at the next interval, unless that has just happened.
  void hurry();

  // Why that daemon need not be asked now: "unknown-daemon", or "daemon-silent" with how long.
  // nullopt: it answered last.
  std::optional<Problem> why_not(const std::string& kind, const std::string& name) const;

  DaemonCounts counts() const;

 private:
  struct Lane;
  using DaemonPtr = std::shared_ptr<const Daemon>;
  // What is known of a daemon's answers.
  struct Health {
    std::string state = "asking";  // "up", "silent", "unreachable", "failed", "gone"
    std::uint64_t since_ms = 0;    // since 1970: of the state
    TimePoint resolved_at{};
    TimePoint gone_at{};
  };

  void watch();
  void look();
  // The bound names under xbind/; nullopt: the name service did not answer.
  std::optional<std::vector<std::string>> bound();
  void look_up(const std::string& path, TimePoint now);
  void mark_gone(const std::vector<std::string>& paths, TimePoint now);
  void share_out();
  void run(Lane& lane);
  void read(const DaemonPtr& daemon, std::optional<std::string>& silent);
  void publish(const Daemon& daemon, const std::string& state, const DaemonStatus& status,
               const ctl::Failure* failure);

  orb::NameClient names_;
  RemoteReader& reader_;
  LiveBoard& board_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::uint64_t hurries_ = 0;
  TimePoint hurried_at_{};
  std::map<std::string, DaemonPtr> daemons_;  // by path
  std::map<std::string, Health> health_;      // by path
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
  std::thread watcher_;
};

}  // namespace xbind::console
