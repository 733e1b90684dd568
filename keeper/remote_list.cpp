#include "keeper/remote_list.hpp"

namespace xbind::keeper {
namespace {

constexpr const char* kUnreadMetric = "switches_unread";

ListedCall::Phase phase_of(v2::PhaseCode phase) {
  switch (phase) {
    case v2::phase_routing:
    case v2::phase_reserving:
    case v2::phase_held:
    case v2::phase_committing: return ListedCall::Phase::kComing;
    case v2::phase_undoing:
    case v2::phase_releasing:
    case v2::phase_gone: return ListedCall::Phase::kGoing;
    default: return ListedCall::Phase::kThere;
  }
}

}  // namespace

ListedCall listed_call(const v2::ConnectionState& state) {
  const bool incomplete = state.phase == v2::phase_incomplete;
  return {.connection = ConnectionId{state.connection},
          .request = RequestId{state.request},
          .from = state.from_end.in(),
          .to = state.to_end.in(),
          .phase = phase_of(state.phase),
          .state = incomplete                         ? CallState::kIncomplete
                   : state.condition == v2::path_up   ? CallState::kUp
                   : state.condition == v2::path_down ? CallState::kBroken
                                                      : CallState::kUnknown,
          .lacks = incomplete ? state.element.in() : ""};
}

Result<std::uint64_t> unread_switches(const client::TwoWay& manager) {
  const auto status = manager.status();
  if (!status) return tl::make_unexpected(status.error());
  for (const auto& [name, value] : *status) {
    if (name == kUnreadMetric) return value;
  }
  return 0;
}

}  // namespace xbind::keeper
