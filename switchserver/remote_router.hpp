// The Router over CORBA: a thread that reports the ports of this process's switches to RouteObject.
// A step passes a report and goes on; the outcome comes back by a callback on the thread.
//
// If RouteObject cannot be reached, all waiting reports fail together with the one that detected
// it. So the last of many does not wait for the timeouts of all before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/path.hpp"
#include "orb/name_client.hpp"
#include "route_object.hh"
#include "switchserver/controller/timers.hpp"
#include "switchserver/port_reporter.hpp"

namespace xbind {

class RemoteRouter {
 public:
  struct Outcome {
    bool arrived = false;
    bool taken = false;           // of a report that has arrived, as the next two
    Epoch incarnation{};          // that counts
    std::vector<PortRate> rates;  // that the operator has set
  };
  // Called with the outcome on the Router's thread, or on the caller's after stop().
  using Ended = std::function<void(const Outcome& outcome)>;

  explicit RemoteRouter(std::string route_object) : route_object_(std::move(route_object)) {}
  ~RemoteRouter();  // stop()
  RemoteRouter(const RemoteRouter&) = delete;
  RemoteRouter& operator=(const RemoteRouter&) = delete;

  // Starts the thread; the ORB lives until stop().
  void start(CORBA::ORB_ptr orb, const std::string& name_service);
  // Waits for the invocation under way, at most kCallTimeout. Later reports fail.
  void stop();

  // From any thread; does not wait. Each switch has at most one report under way (PortReporter),
  // which bounds the queue.
  void tell(std::string switch_name, SwitchReport report, Ended ended);

  static constexpr auto kCallTimeout = kSwitchServerTimers.ms("report-call");

 private:
  struct Waiting {
    std::string switch_name;
    SwitchReport report;
    Ended ended;
  };

  void run(orb::NameClient names);
  // Returns an empty string, or why the report did not arrive. `away`: no other report would arrive
  // now.
  std::string invoke(orb::NameClient& names, const Waiting& waiting, bool& away, Outcome& outcome);

  const std::string route_object_;
  v2::RouteObject_var reference_;  // used by the thread only

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;
  bool running_ = false;
  std::thread thread_;
};

}  // namespace xbind
