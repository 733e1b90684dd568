#include "cmgr/alarm_conditions.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "core/audit.hpp"

namespace xbind::cmgr {

namespace {

constexpr std::size_t kSwitchesInAlarm = 5;

// How many calls are incomplete, at which switches, and why the one with the lowest id is; and how
// many switches have not been read, where further calls may be. Empty: none.
std::string incomplete_in_words(const Recovery& recovery) {
  std::string text;
  if (const std::size_t calls = recovery.waiting(); calls != 0) {
    std::map<std::string, std::size_t> at;
    ConnectionId first;
    std::string why;
    recovery.for_each_incomplete([&](const IncompleteCall& call) {
      ++at[call.element];
      if (first != ConnectionId{} && first < call.shown) return;
      first = call.shown;
      why = call.words();
    });
    text = fmt::format("{} earlier {}", calls,
                       calls == 1 ? "call is incomplete" : "calls are incomplete");
    std::size_t named = 0;
    for (const auto& [name, count] : at) {
      if (++named > kSwitchesInAlarm) break;
      text += fmt::format("{} {} at {}", named == 1 ? ":" : ",", count, name);
    }
    if (at.size() > kSwitchesInAlarm) {
      text += fmt::format(" and others at {} more switches", at.size() - kSwitchesInAlarm);
    }
    text += fmt::format("; {}: {}", first, why);
  }
  if (const std::size_t unread = recovery.unread(); unread != 0) {
    text += fmt::format("{}{} not been read for earlier calls", text.empty() ? "" : "; ",
                        unread == 1 ? "1 switch has" : fmt::format("{} switches have", unread));
  }
  return text;
}

}  // namespace

std::vector<AlarmCondition> conditions_of(const ConnectionManager& logic,
                                          const std::string& manager, AlarmCounts& last) {
  std::vector<AlarmCondition> conditions;
  const std::string object = "manager " + manager;
  const auto counted = [&](AlarmKind kind, std::uint64_t now, std::uint64_t& before,
                           const char* what) {
    if (now <= std::exchange(before, now)) return;
    conditions.push_back({kind, object, fmt::format("{} {} since the start", now, what)});
  };
  const CallCounters& counts = logic.counters();
  counted(AlarmKind::kOverload, counts.busy, last.busy, "requests answered busy");
  counted(AlarmKind::kClientOverLimit, counts.over_client_limit, last.over_client_limit,
          "requests over a client's limit");
  counted(AlarmKind::kCallsEndedByForce, counts.ended_stuck, last.ended_stuck,
          "calls ended by force");

  const ConnectionManager::Gauges gauges = logic.gauges();
  if (gauges.astray != 0) {
    conditions.push_back(
        {AlarmKind::kCallsWithoutPath, object,
         fmt::format("{} connections stand over what is unusable or drained", gauges.astray)});
  }
  if (gauges.owed != 0) {
    conditions.push_back(
        {AlarmKind::kRemovalsOwed, object, fmt::format("{} removals are owed", gauges.owed)});
  }
  const Recovery& recovery = logic.recovery();
  if (std::string cause = incomplete_in_words(recovery); !cause.empty()) {
    conditions.push_back({AlarmKind::kCallsIncomplete, object, std::move(cause)});
  }
  recovery.for_each_other_link([&](const Recovery::OtherLink& link, const auto& topology) {
    const auto text = [&](const LinkMap::End& end) {
      return port_element(logic.switches().name(end.first), end.second);
    };
    conditions.push_back(
        {AlarmKind::kLinksDiffer, text(link.one),
         fmt::format("calls show a link to {}, the topology {}", text(link.other),
                     topology ? "leads to " + text(*topology) : "has none there")});
  });
  logic.for_each_gone_client([&](const std::string& client, std::uint64_t connections) {
    conditions.push_back({AlarmKind::kClientGone, "client " + client,
                          fmt::format("{} connections and no session", connections)});
  });
  return conditions;
}

}  // namespace xbind::cmgr
