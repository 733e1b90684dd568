// RemotePeers: which peers cannot be reached, for the alarms.
#include "cmgr/parts/timers.hpp"
#include "cmgr/remote_peers.hpp"

namespace xbind::cmgr {

std::vector<AlarmCondition> RemotePeers::unreachable_peers(
    const std::vector<std::string>& unattached, TimePoint now) const {
  std::vector<AlarmCondition> conditions;
  for (const std::string& name : unattached) {
    const auto failing = troubles_.failing("switchserver " + name);
    conditions.push_back({AlarmKind::kSwitchServerUnreachable, name,
                          failing ? failing->cause : "it has no session"});
  }
  // Only of watching, which is repeated: a failure of another operation says nothing about now.
  const std::string router = "routeobject " + options_.route_object;
  if (const auto failing = troubles_.failing(router + ", " + kWatching)) {
    conditions.push_back({AlarmKind::kRouteObjectUnreachable, router, failing->cause});
  }
  // Nobody asks the QOSMapper without need, so an old failure says nothing about now.
  const std::string mapper = "qosmapper " + options_.qos_mapper;
  const auto failing = troubles_.failing(mapper);
  if (failing && now - failing->last <= kManagerTimers["mapper-trouble"]) {
    conditions.push_back({AlarmKind::kQosMapperUnreachable, mapper, failing->cause});
  }
  return conditions;
}

}  // namespace xbind::cmgr
