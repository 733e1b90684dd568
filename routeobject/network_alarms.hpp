// The states of the network that raise alarms (core/alarms), and the changes that are events
// (core/events). Pure.
//
// A link that is unknown or drained because of a switch at its end is not listed itself: the switch
// is.
#pragma once

#include <span>
#include <vector>

#include "core/alarms/alarm.hpp"
#include "core/events/event.hpp"
#include "routeobject/router.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

std::vector<AlarmCondition> conditions_of(const Topology& topology,
                                          const NetworkCondition& condition,
                                          std::span<const UnknownSwitch> unknown);

// What has changed between two conditions of the same topology.
std::vector<Event> events_between(const Topology& topology, const NetworkCondition& before,
                                  const NetworkCondition& after);

}  // namespace xbind
