#include "cmgr/procedures/path_procedure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/parts/route_desk.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "core/cause_table.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
// ===== a route =====

RouteNeed PathProcedure::need() const {
  return {ends().from, ends().to, connection_.route_cells_per_s(), avoid_};
}

void PathProcedure::find_route(TimePoint now) {
  if (const auto& route = context_.routes.at_hand(need(), now)) {
    start_path(*route, now);
    return;
  }
  ask_route(now);
}

void PathProcedure::ask_route(TimePoint now) {
  arm(now);
  context_.routes.ask(connection_.id, need(), now);
}

void PathProcedure::find_another(TimePoint now) {
  clear_path(now);
  times_ = context_.times.try_again(times_, now);
  find_route(now);
}

void PathProcedure::route_answered(const RouteReply& route, TimePoint now) {
  start_path(route, now);
}

std::optional<PathProcedure::Obstacle> PathProcedure::obstacle_on(const RouteReply& route) {
  if (const auto blocked = context_.paths.unusable().worst_of(route)) {
    // The cached answer is older than the latest topology.
    Refusal refusal = blocked->drained ? Refusal{Cause::kNoRoute, "drained " + blocked->words}
                                       : Refusal{Cause::kLinkDown, blocked->words};
    if (blocked->unknown) {
      refusal = {Cause::kSwitchUnreachable, context_.switches.name(blocked->at)};
    }
    return Obstacle{std::move(refusal), !blocked->at_an_end && avoid(blocked->at, blocked->port)};
  }
  for (const SwitchIndex at : route.at) {
    const bool away = !context_.switches.is_attached(at);
    if (!away && !context_.switches.queues().full(at)) continue;
    const bool on_every_path = at == route.at.front() || at == route.at.back();
    return Obstacle{{away ? Cause::kSwitchUnreachable : Cause::kBusy, context_.switches.name(at)},
                    !on_every_path && avoid(at, PortId{})};
  }
  return std::nullopt;
}

void PathProcedure::start_path(const RouteReply& route, TimePoint now) {
  if (route.cause != Cause::kNone) {
    const bool numbers = route.cause == Cause::kNoBandwidth;
    refuse_unless_refused({route.cause, route.element,
                           numbers ? connection_.route_cells_per_s() : 0, route.free,
                           route.reason});
    happen(Event::kNoRoute, now);
    return;
  }
  if (auto obstacle = obstacle_on(route)) {
    refuse_unless_refused(std::move(obstacle->refusal));
    if (obstacle->avoidable) {
      ++tries_;
      ++context_.counters.crankbacks;
    }
    happen(obstacle->avoidable ? Event::kRouteUseless : Event::kNoRoute, now);
    return;
  }
  if (!lay(route, now)) return;
  bool all_at_hand = !holds();
  take_labels(all_at_hand, now);
  context_.times.path_known(times_, now);
  happen(all_at_hand ? Event::kRouteKnownLabelsAtHand : Event::kRouteKnown, now);
}

void PathProcedure::take_labels(bool& all_at_hand, TimePoint now) {
  for (auto hop = hops().begin(); hop != hops().end(); ++hop) {
    hop->generation = generation();
    hop->attachment = context_.switches.attachment(hop->at);
    if (hop->last() || hop->joins) continue;
    if (const auto label = context_.switches.caches().take_label(hop->at, hop->output_port, now)) {
      hop->output_label = *label;
      // Within a leg the next hop is the one downstream.
      std::next(hop)->input_label = *label;
    } else {
      all_at_hand = false;
    }
  }
}

// ===== hops =====

void PathProcedure::reserve_hops(TimePoint now) {
  const bool all = holds();
  send_commands(
      Errand::kReserve,
      [all](const Hop& hop) {
        return all || (!hop.last() && !hop.joins && !hop.output_label.present());
      },
      now);
}

void PathProcedure::commit_hops(TimePoint now) {
  context_.times.labels_in_hand(times_, now);
  const bool all = planted(Bug::kTakeOverFirst);
  send_commands(
      Errand::kCommit, [all](const Hop& hop) { return all || !hop.takes_over; }, now);
}

void PathProcedure::undo(TimePoint now, bool planted_to_keep) {
  ++context_.counters.undone;
  const bool keep = planted_to_keep || planted(Bug::kNoRollback) ||
                    (planted(Bug::kCrankbackKeepsHops) && try_next_);
  remove_hops([keep](const Hop&) { return !keep; }, now);
}

void PathProcedure::clear_path(TimePoint now) {
  settle(now, std::exchange(refused_label_, nullptr));
  for (const Hop& hop : hops()) {
    if (hop.owes_removal()) owing_.push_back(hop.at);
  }
  clear_hops();
}

void PathProcedure::hop_refused(Hop& hop, const HopResult& result, TimePoint now) {
  if (result.cause == Cause::kForeignInputLabel) refused_label_ = hops().upstream_of(hop);
  plan_next_try(&hop, &result);
  context_.traces.refused(connection_, hop.at, result);
  // Usually nothing of a refused hop remains. But if the SwitchServer's switch did not answer, the
  // hop is still in the ledger; and a SwitchServer too busy to look at a commit still has the
  // reservation.
  const bool unknown = result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
  const bool reserved = hop.reserved && result.cause == Cause::kBusy;
  hop.state = unknown ? HopState::kCommitting : reserved ? HopState::kReserved : HopState::kRefused;
  refusal_ = context_.outcomes.refusal_of(hop, result);
  happen(Event::kHopRefused, now);
}

void PathProcedure::removals_over(bool owed, TimePoint now) {
  const bool next = state() == State::kUndoing && std::exchange(try_next_, false);
  if (owed) {
    happen(next ? Event::kTimeoutTryNext : Event::kTimeout, now);
  } else {
    happen(next ? Event::kAllRemovedTryNext : Event::kAllRemoved, now);
  }
}

Outcome PathProcedure::refused_outcome() {
  Outcome outcome = outcome_of(refusal_);
  context_.outcomes.describe_debts(hops(), owing_, outcome);
  return outcome;
}

// ===== time, and switches that go =====

const Hop* PathProcedure::silent_hop() {
  const auto silent = std::find_if(hops().begin(), hops().end(), [](const Hop& hop) {
    return hop.state == HopState::kReserving || hop.state == HopState::kCommitting;
  });
  return silent == hops().end() ? nullptr : &*silent;
}

void PathProcedure::timed_out(TimePoint now) {
  switch (state()) {
    case State::kRouting:
      context_.routes.forget(connection_.id, need());
      if (const auto& other = context_.routes.after_silence(need(), now)) {
        start_path(*other, now);
        return;
      }
      refuse_unless_refused({Cause::kNoRouteObject, "routeobject"});
      break;
    case State::kReserving:
    case State::kCommitting:
    case State::kSwitchingOver: {
      plan_next_try(nullptr, nullptr);
      const Hop* const silent = silent_hop();
      refusal_ = {Cause::kTimeout,
                  silent != nullptr ? context_.switches.name(silent->at) : "manager"};
      break;
    }
    case State::kUndoing:
      if (std::exchange(try_next_, false)) {
        happen(Event::kTimeoutTryNext, now);
        return;
      }
      break;
    default: break;
  }
  happen(Event::kTimeout, now);
}

void PathProcedure::switch_lost(SwitchIndex at, TimePoint now) {
  switch (state()) {
    case State::kReserving:
    case State::kCommitting:
    case State::kSwitchingOver: {
      const bool over = state() == State::kSwitchingOver;
      const auto hop = std::find_if(hops().begin(), hops().end(), [&](const Hop& it) {
        return it.at == at && (!over || it.state == HopState::kCommitting);
      });
      if (hop == hops().end()) return;  // that hop has taken over already, or stays
      HopResult lost;
      lost.cause = Cause::kSwitchUnreachable;
      refusal_ = {Cause::kSwitchUnreachable, context_.switches.name(at)};
      plan_next_try(&*hop, &lost);
      happen(Event::kHopRefused, now);
      return;
    }
    case State::kUndoing:
    case State::kReleasing: removals_lost(at, now); return;
    default: return;
  }
}

// ===== crankback =====

bool PathProcedure::avoid(SwitchIndex at, PortId output_port) {
  if (tries_ >= context_.config.crankbacks || avoid_.size() >= kAvoidMax) return false;
  avoid_.push_back({context_.switches.name(at), output_port});
  std::sort(avoid_.begin(), avoid_.end());
  return true;
}

void PathProcedure::plan_next_try(const Hop* hop, const HopResult* result) {
  if (route_is_given() || tries_ >= context_.config.crankbacks) return;
  if (hop == nullptr) hop = silent_hop();
  if (hop == nullptr) return;
  const Cause cause = result == nullptr ? Cause::kTimeout : result->cause;
  if (!plan_around(*hop, cause, result == nullptr ? PortId{} : result->port)) return;
  ++tries_;
  ++context_.counters.crankbacks;
  try_next_ = true;
}

bool PathProcedure::plan_around(const Hop& hop, Cause cause, PortId port) {
  const Retry retry = row_of(cause).retry;
  if (retry != Retry::kOtherPath) return retry == Retry::kOtherLabels;
  if (port == hop.output_port || (port.value() == 0 && cause == Cause::kSwitchRefused)) {
    // The link that the hop leads into; for the last hop that is the endpoint's line.
    if (hop.last()) return false;
    if (hop.leg != 1) return avoid(hop.at, hop.output_port);
    // A link of the reverse direction is identified by the port at its far end.
    const Hop* const next = hops().next_in_leg(hop);
    if (next == nullptr) return false;  // of another path: the rest is unchanged
    return avoid(next->at, next->input_port);
  }
  if (port.value() != 0) return false;
  const bool first = hop.number == 0 && !hop.branch;
  if (first || hop.last()) return false;  // every route passes there
  return avoid(hop.at, PortId{});
}

}  // namespace xbind::cmgr
