#include "keeper/status_document.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/name.hpp"
#include "core/utc_text.hpp"

namespace xbind::keeper {
namespace {

// Members stay in the order in which they are added.
using Json = nlohmann::ordered_json;
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

std::string utc(WallTime time) { return utc_iso(time.time_since_epoch()); }

Json time_of(const StatusHead& head, TimePoint time) {
  if (time == TimePoint{}) return nullptr;
  return utc(head.wall + std::chrono::floor<std::chrono::milliseconds>(time - head.now));
}

Json json_of(const StatusHead& head, const Entry& entry, const Call& call, std::string name) {
  const bool waiting = call.state == CallState::kWaiting;
  const bool refused = !entry.last_refusal.empty();
  return {{"name", std::move(name)},
          {"from", entry.wanted.request.from},
          {"to", entry.wanted.request.to},
          {"state", std::string{to_string(call.state)}},
          {"id", call.connection == ConnectionId{} ? Json(nullptr)
                                                   : Json(fmt::format("{}", call.connection))},
          {"incomplete_at", call.state == CallState::kIncomplete
                                ? Json(printable(call.lacks, kRefusalOctetsMax))
                                : Json(nullptr)},
          {"since", time_of(head, call.since)},
          {"refusals", entry.refusals},
          {"last_refusal",
           refused ? Json(printable(entry.last_refusal, kRefusalOctetsMax)) : Json(nullptr)},
          {"refused_at", refused ? time_of(head, entry.refused_at) : Json(nullptr)},
          {"next_try", waiting && entry.refused ? time_of(head, entry.next_try) : Json(nullptr)}};
}

}  // namespace

std::string status_document(const StatusHead& head, const WantedCalls& wanted) {
  Json calls = Json::array();
  for (std::uint32_t index = 0; index < wanted.entries().size(); ++index) {
    const Entry& entry = wanted.entries()[index];
    for (std::uint32_t at = 0; at < entry.calls.size(); ++at) {
      calls.push_back(json_of(head, entry, entry.calls[at], wanted.name({index, at})));
    }
  }
  const Json document{{"format", 1},
                      {"written", utc(head.wall)},
                      {"client", head.client},
                      {"manager", head.manager},
                      {"attached", head.attached},
                      {"wanted", wanted.size()},
                      {"up", wanted.count(CallState::kUp)},
                      {"calls", std::move(calls)}};
  return document.dump() + "\n";
}

}  // namespace xbind::keeper
