#include "keeper/alarm_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/alarms/alarm_table.hpp"

namespace xbind::keeper {
namespace {

constexpr std::size_t kConditionsMax = AlarmTable::kRaisedMax + 1;
constexpr std::size_t kSwitchesNamed = 3;

// "incomplete at switch-2, switch-3".
std::string incomplete_in_words(const Entry& entry) {
  std::set<std::string> at;
  for (const Call& call : entry.calls) {
    if (call.state == CallState::kIncomplete) at.insert(call.lacks);
  }
  std::string words = "incomplete at";
  std::size_t named = 0;
  for (const std::string& name : at) {
    if (named == kSwitchesNamed) break;
    words += (named++ == 0 ? " " : ", ") + name;
  }
  if (at.size() > named) words += fmt::format(" and {} more", at.size() - named);
  return words;
}

// Why calls of the table are not there.
std::string why_missing(const Entry& entry, const std::string& manager, bool attached) {
  if (!attached) return fmt::format("there is no session with manager {}", manager);
  if (!entry.last_refusal.empty())
    return fmt::format("the last setup failed: {}", entry.last_refusal);
  return "being set up";
}

}  // namespace

std::vector<AlarmCondition> conditions_of(const WantedCalls& wanted, const std::string& manager,
                                          bool attached) {
  std::vector<AlarmCondition> conditions;
  for (const Entry& entry : wanted.entries()) {
    if (conditions.size() >= kConditionsMax) break;
    const auto in = [&](CallState state) {
      return static_cast<std::size_t>(std::ranges::count(entry.calls, state, &Call::state));
    };
    const std::size_t missing = in(CallState::kWaiting) + in(CallState::kSettingUp);
    const std::size_t broken = in(CallState::kBroken);
    const std::size_t incomplete = in(CallState::kIncomplete);
    const std::size_t down = missing + broken + incomplete;
    if (down == 0) continue;
    std::string cause = fmt::format("{} to {}: {} of {} {} not up", entry.wanted.request.from,
                                    entry.wanted.request.to, down, entry.calls.size(),
                                    entry.calls.size() == 1 ? "call is" : "calls are");
    if (broken != 0) cause += fmt::format("; {} without a usable path", broken);
    if (incomplete != 0) {
      cause += fmt::format("; {} {}: the manager does not know all of their hops", incomplete,
                           incomplete_in_words(entry));
    }
    if (missing != 0) cause += "; " + why_missing(entry, manager, attached);
    conditions.push_back({AlarmKind::kPermanentCallDown,
                          fmt::format("connection {}", entry.wanted.name), std::move(cause)});
  }
  return conditions;
}

}  // namespace xbind::keeper
