// The Router over CORBA: a thread that tells RouteObject how the ports of this process's switches are. A
// step hands a report in and goes on; what became of it comes back by a callback on the thread.
//
// While RouteObject cannot be reached the reports that wait fail with the one that found out, so that the
// last of many does not wait for the timeouts of all before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "orb/name_client.hpp"
#include "route_object.hh"
#include "switchserver/port_reporter.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

class RemoteRouter {
 public:
  // Whether the report arrived; on the Router's thread, or on the caller's after stop().
  using Told = std::function<void(bool arrived)>;

  // `incarnation` rises with each start of this process.
  RemoteRouter(std::string route_object, std::uint64_t incarnation)
      : route_object_(std::move(route_object)), incarnation_(incarnation) {}
  ~RemoteRouter();  // stop()
  RemoteRouter(const RemoteRouter&) = delete;
  RemoteRouter& operator=(const RemoteRouter&) = delete;

  // Starts the thread; the ORB lives until stop().
  void start(CORBA::ORB_ptr orb, const std::string& name_service);
  // Waits for the invocation under way, at most kCallTimeout; what is handed in afterwards fails.
  void stop();

  // From any thread; does not wait. Each switch has one report under way at most (PortReporter), which
  // bounds what waits here.
  void tell(std::string switch_name, SwitchReport report, Told told);

  static constexpr auto kCallTimeout = kSwitchServerTimers.ms("report-call");

 private:
  struct Waiting {
    std::string switch_name;
    SwitchReport report;
    Told told;
  };

  void run(orb::NameClient names);
  // Nothing, or why it did not arrive; `away`: nor would any other now.
  std::string invoke(orb::NameClient& names, const Waiting& waiting, bool& away);

  const std::string route_object_;
  const std::uint64_t incarnation_;
  v2::RouteObject_var reference_;  // the thread's

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;
  bool running_ = false;
  std::thread thread_;
};

}  // namespace xbind
