// RemotePeers: hears from RouteObject what is unusable in the network. A notice comes at once; since one
// may be lost, everything is asked for again each validity time, which also keeps the watch alive.
#include <algorithm>

#include "cmgr/remote_peers.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {
namespace {

constexpr Duration kWatchAgainMin = std::chrono::milliseconds{100};
constexpr Duration kWatchAgainMax = std::chrono::seconds{60};
constexpr Duration kWatchAgainAfterFailure = std::chrono::seconds{1};

}  // namespace

TopologyState RemotePeers::topology_from(const v1::TopologyState& state) {
  TopologyState out{state.topology_version, {}};
  out.unusable.reserve(state.unusable.length());
  for (CORBA::ULong i = 0; i < state.unusable.length(); ++i) {
    const v1::UnusableElement& it = state.unusable[i];
    out.unusable.push_back(
        {{it.element.switch_name.in(), PortId{it.element.output_port}}, it.drained});
  }
  return out;
}

void RemotePeers::run_watching() {
  v1::RouteObject_var watched;
  bool told = false;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    Duration again = kWatchAgainAfterFailure;
    auto object = route_object();
    auto state = !object
                     ? tl::make_unexpected(object.error())
                     : orb::remote("routeobject " + options_.route_object, [&] {
                         const v1::TopologyState_var now =
                             (*object)->watch(options_.manager.c_str(), topology_observer_);
                         again = std::clamp(Duration{std::chrono::milliseconds{now->validity_ms}},
                                            kWatchAgainMin, kWatchAgainMax);
                         return topology_from(now.in());
                       });
    if (state) {
      // Another object of that name counts its versions anew.
      const bool restarted = CORBA::is_nil(watched) || !watched->_is_equivalent((*object).in());
      watched = *object;
      told = false;
      post_([state = std::move(*state), restarted](ConnectionManager& manager) {
        manager.on_topology(state, restarted);
      });
    } else {
      if (!std::exchange(told, true)) {
        log::warn("changes of the topology are not heard of: {}; trying on", state.error().text);
      }
      const std::lock_guard references(references_mutex_);
      route_object_ = v1::RouteObject::_nil();
    }
    lock.lock();
    wake_.wait_for(lock, again, [this] { return stop_; });
  }
  lock.unlock();
  if (CORBA::is_nil(watched)) return;
  const auto gone = orb::remote("routeobject " + options_.route_object,
                                [&] { watched->unwatch(options_.manager.c_str()); });
  if (!gone) log::info("{}", gone.error().text);
}

}  // namespace xbind::cmgr
