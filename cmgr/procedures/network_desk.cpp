#include "cmgr/procedures/network_desk.hpp"

#include <algorithm>
#include <set>

#include "cmgr/procedures/connection_table.hpp"
#include "cmgr/procedures/procedure.hpp"
#include "core/log.hpp"

namespace xbind::cmgr {

void NetworkDesk::set(const std::vector<std::string>& switches,
                      const std::vector<NetworkLink>& links, TimePoint now) {
  refused_ = 0;
  for (const std::string& name : switches) {
    const auto known = context_.switches.index_of(name);
    if (!known && refused_++ == 0) {
      log::error("{}; no call uses it, nor others that the network may have besides",
                 known.error().text);
    }
  }
  const std::set<std::string_view> known(switches.begin(), switches.end());
  leaving_.clear();
  context_.switches.for_each_switch([&](SwitchIndex at) {
    if (!known.contains(context_.switches.name(at))) leaving_.push_back(at);
  });
  context_.recovery.set_network(links, now);
  look_at_ = now;
  tick(now);
}

void NetworkDesk::tick(TimePoint now) {
  if (leaving_.empty() || now < look_at_) return;
  look_at_ = now + kLook;
  std::erase_if(leaving_, [&](SwitchIndex at) {
    if (in_use(at) || !context_.switches.let_go(at)) return false;
    log::info("switchserver {}: the network has no such switch any more; the manager lets go of it",
              context_.switches.name(at));
    // Calls of earlier epochs need not wait for what it holds.
    context_.recovery.gone(at, now);
    return true;
  });
}

bool NetworkDesk::in_use(SwitchIndex at) const {
  if (!context_.connections.passing(at).empty()) return true;
  bool used = false;
  context_.recovery.for_each_at(
      at, [&](const FoundHop&) { used = true; }, [](PortId, Label) {});
  context_.timers.for_each([&](TimerHook& hook) {
    const Hops& hops = static_cast<Procedure&>(hook).hops();
    used = used || std::ranges::any_of(hops, [&](const Hop& hop) { return hop.at == at; });
  });
  return used;
}

}  // namespace xbind::cmgr
