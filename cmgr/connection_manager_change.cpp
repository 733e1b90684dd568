// ConnectionManager: another contract for a connection that is up (call_fsm.hpp, Modifying, Lowering,
// Restoring).
#include <algorithm>
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

Resources greater(const Resources& a, const Resources& b) {
  return {std::max(a.cells_per_s, b.cells_per_s), std::max(a.buffer_cells, b.buffer_cells)};
}

Contract greater(const Contract& a, const Contract& b) {
  return {greater(a.forward, b.forward), greater(a.reverse, b.reverse),
          xbind::greater(a.traffic, b.traffic),
          xbind::greater(a.reverse_traffic, b.reverse_traffic)};
}

bool asks_for_more(const Contract& had, const Contract& wanted) {
  return greater(had.forward, wanted.forward) != had.forward ||
         greater(had.reverse, wanted.reverse) != had.reverse ||
         xbind::asks_for_more(had.traffic, wanted.traffic) ||
         xbind::asks_for_more(had.reverse_traffic, wanted.reverse_traffic);
}

// A switch changes the parameters of a connection, never its service (RFC 3292 section 10.3).
bool same_categories(const Contract& a, const Contract& b) {
  return a.traffic.category == b.traffic.category &&
         a.reverse_traffic.category == b.reverse_traffic.category;
}

}  // namespace

void ConnectionManager::book(Connection& connection, Hop& hop, TimePoint now) {
  if (hop.booked) return;
  hop.booked = true;
  switches_.book(hop.at, hop.output_port, connection.demand_of_leg(hop.leg), now);
}

void ConnectionManager::unbook(Connection& connection, Hop& hop) {
  if (!hop.booked) return;
  hop.booked = false;
  switches_.unbook(hop.at, hop.output_port, connection.demand_of_leg(hop.leg));
}

void ConnectionManager::modify(Asker asker, const ModifyRequest& request, const Contract& contract,
                               TimePoint now) {
  Connection* const connection = find_changeable(asker, request.connection);
  if (connection == nullptr) return;
  if (request.reverse.has_value() != connection->both) {
    refuse_request(
        asker, request.connection,
        {Cause::kInvalidRequest, "reverse", 0, 0,
         connection->both ? "a bidirectional connection needs a service for the other direction"
                          : "the connection has one direction, and no other to be changed"});
    return;
  }
  const Contract has = connection->contract();
  if (!same_categories(has, contract)) {
    const bool forward = has.traffic.category != contract.traffic.category;
    const TrafficContract& had = forward ? has.traffic : has.reverse_traffic;
    const TrafficContract& wanted = forward ? contract.traffic : contract.reverse_traffic;
    refuse_request(
        asker, request.connection,
        {Cause::kInvalidRequest, "service category", static_cast<std::uint64_t>(wanted.category),
         static_cast<std::uint64_t>(had.category),
         fmt::format("a connection of {} cannot become one of {}", to_string(had.category),
                     to_string(wanted.category))});
    return;
  }
  ConnectionExtras& extras = connection->more();
  // One that came out of a pool is of the pool's contract no more.
  extras.pool = 0;
  extras.changer = asker;
  extras.target = contract;
  extras.change_refusal = {};
  clients_.owns(asker.client, +1);
  const bool more = asks_for_more(has, contract);
  happen(*connection, more ? Event::kRaiseAsked : Event::kLowerAsked, now);
}

// What the hops are told in the connection's present state.
Contract ConnectionManager::contract_to_tell(const Connection& connection) const {
  switch (connection.state) {
    case State::kModifying: return greater(connection.contract(), connection.extras->target);
    case State::kLowering: return connection.extras->target;
    default: return connection.contract();
  }
}

void ConnectionManager::change_every_hop(Connection& connection, TimePoint now) {
  ++connection.more().revision;
  connection.pending = 0;
  for (Hop& hop : connection.hops) hop.changed = false;
  if (connection.state == State::kModifying) {
    // All or nothing: one that cannot be told ends it before anybody is.
    for (const Hop& hop : connection.hops) {
      if (switches_.is_attached(hop.at)) continue;
      connection.extras->change_refusal = {Cause::kSwitchUnreachable, switches_.name(hop.at)};
      happen(connection, Event::kHopRefused, now);
      return;
    }
  }
  for (Hop& hop : connection.hops) {
    if (!switches_.is_attached(hop.at)) continue;  // to be owed
    ++connection.pending;
    run_errand(connection, hop, Errand::kModify, now);
  }
  if (connection.pending == 0) {
    changes_done(connection, now);
  } else {
    say_next(connection, now);
  }
}

void ConnectionManager::restore_every_hop(Connection& connection, TimePoint now) {
  ++connection.more().revision;
  connection.pending = 0;
  for (Hop& hop : connection.hops) {
    const bool waiting = std::exchange(hop.errand, Errand::kNone) != Errand::kNone;
    const bool open = hop.state == HopState::kChanging;
    const bool touched = !waiting && (hop.changed || open) && !planted(Bug::kModifyNotRolledBack);
    hop.changed = !touched;
    if (!touched) continue;
    if (!switches_.is_attached(hop.at)) {
      hop.state = HopState::kCommitted;
      continue;
    }
    if (open) ++hop.answers_to_skip;
    ++connection.pending;
    run_errand(connection, hop, Errand::kModify, now);
  }
  if (connection.pending == 0) {
    changes_done(connection, now);
  } else {
    say_next(connection, now);
  }
}

void ConnectionManager::on_change_result(Connection& connection, Hop& hop, const HopResult& result,
                                         bool invoked, TimePoint now) {
  // Of the engines that wait: what comes by the session is the answer to a change that was owed.
  const bool of_debt = config_.one_by_one && !invoked;
  if (hop.answers_to_skip > 0 && !of_debt) {
    --hop.answers_to_skip;
    return;
  }
  if (hop.state != HopState::kChanging || of_debt) {
    if (!switches_.change_answered(hop.at, result.key, result.cause, now)) {
      ++counters_.late_results;
    }
    return;
  }
  hop.state = HopState::kCommitted;
  hop.changed = result.cause == Cause::kNone;
  if (hop.changed) hop.behind = false;
  if (connection.state == State::kModifying && result.cause != Cause::kNone) {
    // Nobody knows what such a hop has now: it is told the old contract with the others. So is one that
    // has never heard of the old one.
    const bool unknown =
        result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
    hop.changed = unknown || hop.behind;
    connection.more().change_refusal = refusal_of(hop, result);
    happen(connection, Event::kHopRefused, now);
    return;
  }
  if (--connection.pending == 0) changes_done(connection, now);
}

void ConnectionManager::changes_done(Connection& connection, TimePoint now) {
  const bool all = std::all_of(connection.hops.begin(), connection.hops.end(),
                               [](const Hop& hop) { return hop.changed; });
  if (connection.state == State::kModifying) {
    const bool lower = connection.extras->target != contract_to_tell(connection);
    happen(connection, lower ? Event::kAllRaised : Event::kAllModified, now);
    return;
  }
  happen(connection, all ? Event::kAllModified : Event::kTimeout, now);
}

// The change is over: `accepted` with the new contract, else with the old one. `owe`: some hops have
// not confirmed that.
void ConnectionManager::change_ends(Connection& connection, bool accepted, bool owe,
                                    TimePoint now) {
  ConnectionExtras& extras = connection.more();
  if (accepted) {
    for (Hop& hop : connection.hops) unbook(connection, hop);
    connection.set_contract(extras.target);
    for (Hop& hop : connection.hops) book(connection, hop, now);
  }
  if (owe) {
    for (Hop& hop : connection.hops) {
      if (hop.changed) continue;
      // The answer that did not come in time may be taken for that of a later change.
      const bool told = hop.state == HopState::kChanging && hop.errand == Errand::kNone;
      if (told) ++hop.answers_to_skip;
      hop.state = HopState::kCommitted;
      hop.errand = Errand::kNone;
      switches_.owe_change(hop.at,
                           {key_of(connection, hop), extras.revision,
                            connection.demand_of_leg(hop.leg), connection.traffic_of_leg(hop.leg)},
                           now);
    }
  }
  Outcome outcome;
  outcome.connection = connection.shown_id();
  if (accepted) {
    outcome.kind = OutcomeKind::kModified;
  } else {
    outcome.kind = OutcomeKind::kRefused;
    outcome.cause = extras.change_refusal.cause;
    outcome.element = extras.change_refusal.element;
    outcome.asked = extras.change_refusal.asked;
    outcome.free = extras.change_refusal.free;
  }
  const Asker asker = *std::exchange(extras.changer, {});
  tell(asker, std::move(outcome));
  clients_.owns(asker.client, -1);
  if (connection.state == State::kConnected) look_at_path(connection);
}

}  // namespace xbind::cmgr
