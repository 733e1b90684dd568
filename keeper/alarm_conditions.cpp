#include "keeper/alarm_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/alarms/alarm_table.hpp"

namespace xbind::keeper {
namespace {

constexpr std::size_t kConditionsMax = AlarmTable::kRaisedMax + 1;

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
    if (missing + broken == 0) continue;
    std::string cause = fmt::format("{} to {}: {} of {} {} not up", entry.wanted.request.from,
                                    entry.wanted.request.to, missing + broken, entry.calls.size(),
                                    entry.calls.size() == 1 ? "call is" : "calls are");
    if (broken != 0) cause += fmt::format("; {} without a usable path", broken);
    if (missing != 0) cause += "; " + why_missing(entry, manager, attached);
    conditions.push_back({AlarmKind::kPermanentCallDown,
                          fmt::format("connection {}", entry.wanted.name), std::move(cause)});
  }
  return conditions;
}

}  // namespace xbind::keeper
