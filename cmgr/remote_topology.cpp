// RemotePeers: hears from RouteObject what is unusable in the network. A notice comes at once; since one
// may be lost, everything is asked for again each validity time, which also keeps the watch alive.
#include <algorithm>

#include "cmgr/remote_peers.hpp"
#include "core/cause.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {
namespace {

constexpr Duration kWatchAgainMin = std::chrono::milliseconds{100};
constexpr Duration kWatchAgainMax = std::chrono::seconds{60};
constexpr Duration kWatchAgainAfterFailure = std::chrono::seconds{1};

}  // namespace

TopologyState RemotePeers::topology_from(const v2::TopologyState& state) {
  TopologyState out{state.topology_version, {}};
  out.unusable.reserve(state.unusable.length());
  for (CORBA::ULong i = 0; i < state.unusable.length(); ++i) {
    const v2::UnusableElement& it = state.unusable[i];
    out.unusable.push_back(
        {{it.element.switch_name.in(), PortId{it.element.output_port}}, it.drained});
  }
  return out;
}

Result<void> RemotePeers::check_path(const std::string& from, const std::string& to) {
  auto object = route_object();
  if (!object) return tl::make_unexpected(object.error());
  v2::RouteQuerySeq asked;
  asked.length(1);
  asked[0].from_end = from.c_str();
  asked[0].to_end = to.c_str();
  asked[0].cells_per_s = 0;
  asked[0].metric = static_cast<CORBA::Octet>(options_.route_metric);
  asked[0].delay_us_max = 0;
  asked[0].links_max = 0;
  asked[0].disjoint = v2::disjoint_no;
  v2::RouteAnswers_var told;
  const auto called = orb::remote("routeobject " + options_.route_object, *object,
                                  [&] { told = (*object)->find_paths(asked); });
  if (!called) {
    if (called.error().code == ErrorCode::kBadInput) return called;
    const std::lock_guard lock(references_mutex_);
    route_object_ = v2::RouteObject::_nil();
    return called;
  }
  if (told->answers.length() != 1) {
    return fail(ErrorCode::kUnreachable, "routeobject {} gave {} answers to one query",
                options_.route_object, told->answers.length());
  }
  const v2::RouteAnswer& answer = told->answers[0];
  if (answer.cause == 0) return {};
  const auto cause = cause_from(answer.cause);
  return fail(ErrorCode::kBadInput, "{}: {}", cause ? to_string(*cause) : "unknown cause",
              answer.reason.in());
}

void RemotePeers::run_watching() {
  v2::RouteObject_var watched;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    Duration again = kWatchAgainAfterFailure;
    v2::RouteObject_var asked;
    TopologyState state;
    const auto told = at_route_object("watching the topology", [&](v2::RouteObject_ptr object) {
      const v2::TopologyState_var now = object->watch(options_.manager.c_str(), topology_observer_);
      again = std::clamp(Duration{std::chrono::milliseconds{now->validity_ms}}, kWatchAgainMin,
                         kWatchAgainMax);
      state = topology_from(now.in());
      asked = v2::RouteObject::_duplicate(object);
    });
    if (told) {
      // Another object of that name counts its versions anew.
      const bool restarted = CORBA::is_nil(watched) || !watched->_is_equivalent(asked);
      watched = asked;
      post_([state = std::move(state), restarted](ConnectionManager& manager) {
        manager.on_topology(state, restarted);
      });
    }
    lock.lock();
    wake_.wait_for(lock, again, [this] { return stop_; });
  }
  lock.unlock();
  // The watch is our name's: a newer manager of it watches now.
  if (CORBA::is_nil(watched) || fenced_) return;
  const auto gone = orb::remote("routeobject " + options_.route_object, watched,
                                [&] { watched->unwatch(options_.manager.c_str()); });
  if (!gone) log::info("{}", gone.error().text);
}

}  // namespace xbind::cmgr
