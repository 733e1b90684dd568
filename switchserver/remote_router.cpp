#include "switchserver/remote_router.hpp"

#include <optional>
#include <set>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/remote_error.hpp"
#include "switchserver/controller/timers.hpp"

namespace xbind {
namespace {

// RouteObject often starts at the same time: no log line before this time is over.
constexpr Duration kPatience = kSwitchServerTimers["report-patience"];

constexpr std::uint64_t kRateMax = 0xffff'ffff;  // GSMP's field

v2::PortNewsSeq to_idl(const std::vector<ReportedPort>& ports) {
  v2::PortNewsSeq out;
  out.length(static_cast<CORBA::ULong>(ports.size()));
  for (CORBA::ULong i = 0; i < out.length(); ++i) {
    out[i].port_number = ports[i].port.value();
    out[i].up = ports[i].up;
    out[i].cells_per_s = ports[i].cells_per_s;
    out[i].free_cells_per_s = ports[i].free_cells_per_s;
  }
  return out;
}

}  // namespace

RemoteRouter::~RemoteRouter() { stop(); }

void RemoteRouter::start(CORBA::ORB_ptr orb, const std::string& name_service) {
  const std::lock_guard lock(mutex_);
  running_ = true;
  thread_ = std::thread([this, names = orb::NameClient(orb, name_service)] { run(names); });
}

void RemoteRouter::stop() {
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::deque<Waiting> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(waiting_);
  }
  for (const Waiting& one : left) one.ended({});
}

void RemoteRouter::tell(std::string switch_name, SwitchReport report, Ended ended) {
  {
    const std::lock_guard lock(mutex_);
    if (running_) {
      waiting_.push_back({std::move(switch_name), std::move(report), std::move(ended)});
      wake_.notify_all();
      return;
    }
  }
  ended({});
}

void RemoteRouter::run(orb::NameClient names) {
  std::optional<TimePoint> away_since;
  bool warned = false;
  std::set<std::string> refused;  // switches that RouteObject does not know
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return !running_ || !waiting_.empty(); });
    if (!running_) break;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();

    bool away = false;
    Outcome outcome;
    const std::string problem = invoke(names, next, away, outcome);
    std::deque<Waiting> failed;
    if (away) {
      if (!away_since) away_since = steady_now();
      if (!warned && steady_now() - *away_since >= kPatience) {
        log::routes.warn("ports are not reported: {}; retrying", problem);
        warned = true;
      }
      const std::lock_guard again(mutex_);
      failed.swap(waiting_);
    } else if (!problem.empty()) {
      if (refused.insert(next.switch_name).second) {
        log::routes.warn("the ports of {} are not reported: {}; retrying", next.switch_name,
                         problem);
      }
    } else {
      refused.erase(next.switch_name);
      if (warned) log::routes.info("ports are reported to routeobject {} again", route_object_);
    }
    if (!away) {
      away_since.reset();
      warned = false;
    }
    outcome.arrived = problem.empty();
    next.ended(outcome);
    for (const Waiting& one : failed) one.ended({});
    lock.lock();
  }
  reference_ = v2::RouteObject::_nil();
}

std::string RemoteRouter::invoke(orb::NameClient& names, const Waiting& waiting, bool& away,
                                 Outcome& outcome) {
  if (CORBA::is_nil(reference_)) {
    const auto object = names.resolve(naming::path_of(naming::kRouteObjects, route_object_));
    if (!object) {
      away = true;
      return object.error().text;
    }
    reference_ = v2::RouteObject::_unchecked_narrow(*object);
    omniORB::setClientCallTimeout(reference_, kCallTimeout.count());
  }
  const auto ended = orb::remote("routeobject " + route_object_, reference_, [&] {
    const SwitchReport& report = waiting.report;
    const v2::ReportAnswer_var answer =
        reference_->report_ports(waiting.switch_name.c_str(), report.incarnation.value(),
                                 report.number, to_idl(report.ports));
    outcome.taken = answer->taken;
    outcome.incarnation = Epoch{answer->incarnation};
    if (!outcome.taken) {
      log::routes.info(
          "report {} of {} was not taken, because incarnation {} counts now; reporting "
          "anew",
          report.number, waiting.switch_name, outcome.incarnation);
    }
    for (CORBA::ULong i = 0; i < answer->rates.length(); ++i) {
      const v2::PortRate& rate = answer->rates[i];
      // A rate outside the bounds of lines is not one that an operator can have set.
      if (rate.cells_per_s == 0 || rate.cells_per_s > kRateMax) continue;
      outcome.rates.push_back({PortId{rate.port_number}, rate.cells_per_s});
    }
  });
  if (ended) return {};
  if (ended.error().code != ErrorCode::kBadInput) {
    // RouteObject may have restarted elsewhere: query the name service again.
    reference_ = v2::RouteObject::_nil();
    away = true;
  }
  return ended.error().text;
}

}  // namespace xbind
