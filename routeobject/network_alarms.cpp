#include "routeobject/network_alarms.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace xbind {
namespace {

std::string name_of(const Topology& topology, LinkEnd end) {
  return fmt::format("{} port {}", topology.switches()[end.at].name, end.port);
}

bool drained(const NetworkCondition& condition, SwitchIndex at) {
  return condition.drained_switches[at] != 0;
}

// Whether the link has a drain order of its own, as far as the condition shows.
bool drained_itself(const Topology& topology, const NetworkCondition& condition, std::size_t link) {
  const TopologyLink& it = topology.links()[link];
  return condition.links[link].drained && !drained(condition, it.a.at) &&
         !drained(condition, it.b.at);
}

class Changes {
 public:
  // Adds an event if the value has changed.
  void add(bool before, bool after, EventKind set, EventKind unset, const std::string& object,
           const std::string& text) {
    if (before == after) return;
    Event& event = events_.emplace_back();
    event.kind = after ? set : unset;
    event.object = object;
    event.text = text;
  }
  std::vector<Event> take() { return std::move(events_); }

 private:
  std::vector<Event> events_;
};

}  // namespace

std::vector<AlarmCondition> conditions_of(const Topology& topology,
                                          const NetworkCondition& condition,
                                          std::span<const UnknownSwitch> unknown) {
  std::vector<AlarmCondition> conditions;
  for (const UnknownSwitch& one : unknown) {
    conditions.push_back({AlarmKind::kSwitchUnknown, one.name,
                          one.silent ? "its SwitchServer has fallen silent"
                                     : "its SwitchServer has no control over it"});
  }
  for (std::size_t link = 0; link < condition.links.size(); ++link) {
    const TopologyLink& it = topology.links()[link];
    const std::string other = "the other end is " + name_of(topology, it.b);
    if (!condition.links[link].up) {
      conditions.push_back({AlarmKind::kLineDown, name_of(topology, it.a), other});
    }
    if (drained_itself(topology, condition, link)) {
      conditions.push_back({AlarmKind::kLineDrained, name_of(topology, it.a), other});
    }
  }
  for (SwitchIndex at = 0; at < condition.access_lines.size(); ++at) {
    const LineCondition& line = condition.access_lines[at];
    const LinkEnd end{at, kEndpointPort};
    if (!line.up) {
      conditions.push_back({AlarmKind::kLineDown, name_of(topology, end), "it is an access line"});
    }
    if (line.drained) {
      conditions.push_back(
          {AlarmKind::kLineDrained, name_of(topology, end), "it is an access line"});
    }
    if (drained(condition, at)) {
      conditions.push_back(
          {AlarmKind::kSwitchDrained, topology.switches()[at].name, "all its links are drained"});
    }
  }
  return conditions;
}

std::vector<Event> events_between(const Topology& topology, const NetworkCondition& before,
                                  const NetworkCondition& after) {
  Changes changes;
  for (SwitchIndex at = 0; at < after.unknown_switches.size(); ++at) {
    const std::string& name = topology.switches()[at].name;
    changes.add(before.unknown_switches[at] == 0, after.unknown_switches[at] == 0,
                EventKind::kSwitchUp, EventKind::kSwitchDown, name,
                after.unknown_switches[at] == 0 ? "trusted again" : "its state is unknown");
    changes.add(drained(before, at), drained(after, at), EventKind::kSwitchDrained,
                EventKind::kSwitchUndrained, name, {});
    const std::string line = name_of(topology, {at, kEndpointPort});
    changes.add(before.access_lines[at].up, after.access_lines[at].up, EventKind::kLinkUp,
                EventKind::kLinkDown, line, "access line");
    changes.add(before.access_lines[at].drained, after.access_lines[at].drained,
                EventKind::kLinkDrained, EventKind::kLinkUndrained, line, "access line");
  }
  for (std::size_t link = 0; link < after.links.size(); ++link) {
    if (before.links[link] == after.links[link]) continue;
    const TopologyLink& it = topology.links()[link];
    const std::string end = name_of(topology, it.a);
    const std::string other = "other end " + name_of(topology, it.b);
    changes.add(before.links[link].up, after.links[link].up, EventKind::kLinkUp,
                EventKind::kLinkDown, end, other);
    changes.add(drained_itself(topology, before, link), drained_itself(topology, after, link),
                EventKind::kLinkDrained, EventKind::kLinkUndrained, end, other);
  }
  return changes.take();
}

}  // namespace xbind
