// A SwitchServer as a running thing: the logic (switch_server.hpp) behind one Serial, fed by upcalls,
// by the switch's TCP connection and by a timer.
//
//   upcall threads ─┐
//   TCP io thread  ─┼─▶ Serial ──▶ SwitchServer + GsmpDriver ──▶ TCP write, oneways to managers
//   timer thread   ─┘            (one thread at a time)
#pragma once

#include <future>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/serial.hpp"
#include "orb/timer_thread.hpp"
#include "switch_server.hh"
#include "switchserver/gsmp/tcp_transport.hpp"
#include "switchserver/gsmp_driver.hpp"
#include "switchserver/remote_manager.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {

struct SwitchServerDaemonOptions {
  SwitchServerOptions server;
  gsmp::SessionOptions gsmp;
  gsmp::TcpClientOptions tcp;
  faults::FaultOptions faults;
};

class SwitchServerDaemon {
 public:
  explicit SwitchServerDaemon(const SwitchServerDaemonOptions& options);
  ~SwitchServerDaemon();
  SwitchServerDaemon(const SwitchServerDaemon&) = delete;
  SwitchServerDaemon& operator=(const SwitchServerDaemon&) = delete;

  // Starts connecting to the switch.
  void start();
  // Stops timer and connection; jobs posted afterwards find everything down.
  void stop();

  // Runs `job` with the logic, one at a time, and waits for it. Only from threads that may wait (two-way
  // upcalls): what it waits for never waits for them.
  template <class Job>
  auto ask(Job job) {
    std::promise<decltype(job(std::declval<SwitchServer&>()))> answer;
    auto future = answer.get_future();
    serial_.post([&] { answer.set_value(job(server_)); });
    return future.get();
  }
  // Runs it some time; does not wait.
  void post(std::function<void(SwitchServer&)> job) {
    serial_.post([this, job = std::move(job)] { job(server_); });
  }

  // Within a job: the observer of a session just attached.
  RemoteManagers& managers() { return managers_; }

  // Waits at most `timeout` for the switch and the books to be read. kTimeout, or as
  // SwitchServer::audit.
  Result<LedgerReport> audit(const std::string& manager, Duration timeout);

  // "frames_in", "commits", ...; for the status operation.
  std::vector<std::pair<std::string, std::uint64_t>> metrics();

 private:
  void after_drain();
  void drain_driver(TimePoint now);
  void complete_audit(std::uint64_t token, LedgerReport report);

  RemoteManagers managers_;
  GsmpDriver driver_;
  SwitchServer server_;
  wire::Buffer output_;

  std::mutex audits_mutex_;
  std::uint64_t next_audit_ = 1;
  std::unordered_map<std::uint64_t, std::promise<LedgerReport>> audits_;

  Serial serial_;
  gsmp::TcpClient tcp_;
  orb::TimerThread timer_;
};

}  // namespace xbind
