// RemotePeers: gets the unusable elements of the network from RouteObject. A notice comes at once.
// Because a notice may be lost, the whole topology is fetched again each validity time, which also
// keeps the watch alive.
#include <algorithm>
#include <atomic>
#include <optional>

#include "cmgr/remote_peers.hpp"
#include "core/cause.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {
namespace {

void raise_to(std::atomic<std::uint64_t>& highest, std::uint64_t value) {
  std::uint64_t known = highest;
  while (known < value && !highest.compare_exchange_weak(known, value)) {
  }
}

TopologyState topology_from(const v2::TopologyState& state) {
  TopologyState out{state.topology_version, {}};
  out.unusable.reserve(state.unusable.length());
  for (CORBA::ULong i = 0; i < state.unusable.length(); ++i) {
    const v2::UnusableElement& it = state.unusable[i];
    // An element with an unknown reason counts as down.
    const bool known = it.why <= static_cast<CORBA::Octet>(kUnusableLast);
    out.unusable.push_back({{it.element.switch_name.in(), PortId{it.element.output_port}},
                            known ? static_cast<Unusable>(it.why) : Unusable::kDown});
  }
  return out;
}

// Returns nullopt if the topology changed between two pages.
std::optional<TopologyState> whole_topology(v2::RouteObject_ptr object,
                                            const v2::TopologyState& first) {
  constexpr CORBA::ULong kElementsPerPage = 10'000;
  TopologyState state = topology_from(first);
  while (state.unusable.size() < first.unusable_count) {
    const v2::TopologyState_var page = object->unusable_elements(
        static_cast<CORBA::ULong>(state.unusable.size()), kElementsPerPage);
    if (page->topology_version != first.topology_version || page->unusable.length() == 0) {
      return std::nullopt;
    }
    TopologyState more = topology_from(page.in());
    state.unusable.insert(state.unusable.end(), more.unusable.begin(), more.unusable.end());
  }
  return state;
}

}  // namespace

void RemotePeers::take_topology_notice(const v2::TopologyState& state) {
  if (state.topology_version == 0) return;  // it keeps the connection open
  const bool whole = state.unusable.length() >= state.unusable_count;
  if (whole) {
    raise_to(topology_noticed_, state.topology_version);
    post_([received = topology_from(state)](ConnectionManager& manager) {
      manager.on_topology(received);
    });
  }
  // The watching thread, which may wait, fetches the rest, and a changed network.
  const std::lock_guard lock(mutex_);
  if (whole && network_version_ == state.network_version) return;
  watch_.begin(steady_now());
  wake_.notify_all();
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
  v2::RouteAnswers_var received;
  const auto called = orb::remote("routeobject " + options_.route_object, *object,
                                  [&] { received = (*object)->find_paths(asked); });
  if (!called) {
    if (called.error().code == ErrorCode::kBadInput) return called;
    const std::lock_guard lock(references_mutex_);
    route_object_ = v2::RouteObject::_nil();
    return called;
  }
  if (received->answers.length() != 1) {
    return fail(ErrorCode::kUnreachable, "routeobject {} gave {} answers to one query",
                options_.route_object, received->answers.length());
  }
  const v2::RouteAnswer& answer = received->answers[0];
  if (answer._d()) return {};
  const auto cause = cause_from(answer.why().cause);
  return fail(ErrorCode::kBadInput, "{}: {}", cause ? to_string(*cause) : "unknown cause",
              answer.why().reason.in());
}

void RemotePeers::run_watching() {
  v2::RouteObject_var watched;
  std::unique_lock lock(mutex_);
  watch_.begin(steady_now());
  while (!stop_) {
    const TimePoint now = steady_now();
    if (const auto attempt = watch_.take(now)) {
      lock.unlock();
      const std::optional<Duration> refresh = watch_now(watched);
      lock.lock();
      if (refresh) {
        watch_.attached(*attempt, steady_now(), *refresh);
      } else {
        watch_.failed(*attempt, steady_now());
      }
      continue;
    }
    // never kNever: the watch is always renewed
    wake_.wait_for(lock, watch_.next_deadline() - now);
  }
  lock.unlock();
  // The watch belongs to the manager's name: after fencing, the newer manager uses it.
  if (CORBA::is_nil(watched) || fenced_) return;
  const auto gone = orb::remote("routeobject " + options_.route_object, watched,
                                [&] { watched->unwatch(options_.manager.c_str()); });
  if (!gone) log::routes.info("{}", gone.error().text);
}

std::optional<Duration> RemotePeers::watch_now(v2::RouteObject_var& watched) {
  Duration refresh = kTopologyRefreshMin;
  v2::RouteObject_var asked;
  std::optional<TopologyState> state;
  std::uint64_t network_version = 0;
  const std::uint64_t noticed = topology_noticed_;
  const auto called = at_route_object(kWatching, [&](v2::RouteObject_ptr object) {
    const v2::TopologyState_var now = object->watch(options_.manager.c_str(), topology_observer_);
    network_version = now->network_version;
    state = whole_topology(object, now.in());
    if (!state) return;
    refresh = std::clamp(Duration{std::chrono::milliseconds{now->validity_ms}}, kTopologyRefreshMin,
                         kTopologyRefreshMax);
    asked = v2::RouteObject::_duplicate(object);
  });
  if (!called) return std::nullopt;
  // The manager began without RouteObject, or the operator has changed the network.
  bool has_network = false;
  {
    const std::lock_guard lock(mutex_);
    has_network = network_version_ == network_version;
  }
  if (!has_network) {
    if (const auto known = network()) give_network(*known);
  }
  if (state) {
    // Another object of that name counts its versions from the beginning.
    bool restarted = CORBA::is_nil(watched) || !watched->_is_equivalent(asked);
    watched = asked;
    // RouteObject's versions only rise, so it has not sent a notice from before this call that has
    // a higher one than its answer. If believed, such a notice would hide all later ones.
    if (!restarted && state->version < noticed) {
      log::routes.warn(
          "a topology notice of version {} was not sent by routeobject {}, whose version is {}",
          noticed, options_.route_object, state->version);
      restarted = true;
    }
    if (restarted) topology_noticed_ = state->version;
    post_([state = std::move(*state), restarted](ConnectionManager& manager) {
      manager.on_topology(state, restarted);
    });
  }
  return refresh;
}

}  // namespace xbind::cmgr
