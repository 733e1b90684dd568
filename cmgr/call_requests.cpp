#include "cmgr/call_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/hold.hpp"
#include "cmgr/procedures/leaf.hpp"
#include "cmgr/procedures/modify.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/setup.hpp"
#include "cmgr/procedures/start.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kLeavesMax = 1'000;  // per connection
// per connection: the description of so many hops still fits into one reply
constexpr std::size_t kHopsMax = 8'000;
constexpr std::size_t kSwitchesInRefusal = 5;  // in a refusal

std::string switches_in_words(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "switch" : "switches");
}

std::optional<Refusal> broken_rule(const ConnectRequest& request) {
  if (request.priority > kPriorityMax) {
    return Refusal{Cause::kInvalidRequest, "priority", request.priority, kPriorityMax,
                   fmt::format("the priority {} is above {}", request.priority, kPriorityMax)};
  }
  if (request.hold_ms > kHoldMsMax) {
    return Refusal{
        Cause::kInvalidRequest, "hold", request.hold_ms, kHoldMsMax,
        fmt::format("hold of {} ms exceeds the limit of {} ms", request.hold_ms, kHoldMsMax)};
  }
  if (request.broken_rule.empty()) return std::nullopt;
  return Refusal{Cause::kInvalidRequest, {}, 0, 0, request.broken_rule};
}

// A switch changes the parameters of a connection, never its service (RFC 3292 section 10.3).
std::optional<Refusal> other_category(const Contract& has, const Contract& wanted) {
  const bool forward = has.traffic.category != wanted.traffic.category;
  if (!forward && has.reverse_traffic.category == wanted.reverse_traffic.category) {
    return std::nullopt;
  }
  const auto had = forward ? has.traffic.category : has.reverse_traffic.category;
  const auto asked = forward ? wanted.traffic.category : wanted.reverse_traffic.category;
  return Refusal{
      Cause::kInvalidRequest, "service category", static_cast<std::uint64_t>(asked),
      static_cast<std::uint64_t>(had),
      fmt::format("a connection of {} cannot become one of {}", to_string(had), to_string(asked))};
}

// None: the SwitchServer allots one.
Label label_of(const std::optional<FrameTraffic>& frames) {
  return frames ? frames->label() : Label{};
}

bool is_destination(const Connection& connection, const std::string& end) {
  if (end == connection.ends->to && !connection.first_end_dropped()) return true;
  const auto& leaves = connection.leaves();
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Leaf& leaf) { return leaf.end == end; });
}

}  // namespace

// ===== connect, release =====

void CallRequests::act(const Asker& asker, const ConnectRequest& request, const RequestTimes& times,
                       const Contract& contract, TimePoint now) {
  ++context_.counters.setups;
  if (auto broken = broken_rule(request)) {
    context_.outcomes.refuse(asker, {}, std::move(*broken));
    return;
  }
  if (const std::size_t there = context_.connections.size();
      there >= context_.config.connections_max) {
    context_.outcomes.refuse(asker, {},
                             {Cause::kBusy, "manager", there + 1, context_.config.connections_max});
    return;
  }
  // Every call may leave as many debts as it has hops, and no debt may be forgotten. Refusing new
  // calls is what bounds the number of debts.
  if (const std::size_t owed = context_.switches.debts().owed();
      owed >= context_.config.debts_max) {
    context_.outcomes.refuse(asker, {},
                             {Cause::kBusy, "removals owed", owed, context_.config.debts_max});
    return;
  }
  if (auto over = over_limit(asker.client, 1, cells_of(contract))) {
    context_.outcomes.refuse(asker, {}, std::move(*over));
    return;
  }
  if (context_.prepared.take(asker, request, times, contract, now)) return;
  Connection& connection = context_.connections.open(
      {asker, request.from, request.to, contract, request.reverse.has_value(), 0});
  connection.traced = context_.traces.samples(connection.id, asker.client == ClientDesk::kLocal);
  if (request.from_frames || request.to_frames) {
    connection.want_ends(label_of(request.from_frames), label_of(request.to_frames));
  }
  context_.clients.owns(asker.client, +1);
  if (request.hold_ms != 0) {
    begin<Hold>(context_, connection, std::chrono::milliseconds{request.hold_ms}).start(now);
  } else {
    begin<Setup>(context_, connection, context_.times.open_setup(times, now)).start(now);
  }
}

void CallRequests::act(const Asker& asker, const ReleaseRequest& request, const RequestTimes& times,
                       const Contract&, TimePoint now) {
  ++context_.counters.releases;
  const auto refuse = [&](Cause cause) {
    context_.outcomes.refuse(asker, request.connection,
                             {cause, "manager", request.connection.value(), 0});
  };
  Connection* const found = context_.connections.find_shown(request.connection);
  if (found == nullptr) {
    ++context_.counters.table_misses;
    release_unknown(asker, request, now);
    return;
  }
  Connection& connection = *found;
  if (connection.procedure != nullptr) {
    if (const auto cause = connection.procedure->refuses_release()) {
      refuse(*cause);
      return;
    }
  }
  // A prepared connection that waits for its first call has no owner, so no client may release it.
  if (!connection.asker()) {
    refuse(Cause::kUnknownConnection);
    return;
  }
  ++context_.counters.table_hits;
  const TimesIndex timed = context_.times.open_release(times);
  // The client that sent the release gets the answer, even if another client set the connection up.
  context_.clients.owns(asker.client, +1);
  const bool asked = request.why == EndWhy::kAsked;
  if (asked && context_.prepared.give_back(connection, asker, timed, now)) return;
  start_release(context_, connection, asker, timed, now, request.why);
}

void CallRequests::release_unknown(const Asker& asker, const ReleaseRequest& request,
                                   TimePoint now) {
  Recovery& recovery = context_.recovery;
  const ConnectionId id = request.connection;
  if (const auto call = recovery.incomplete(id)) {
    return release_incomplete(asker, *call, request.why, now);
  }
  const Recovery::Fate fate = recovery.fate_of(id);
  switch (fate) {
    case Recovery::Fate::kNeverWas:
      return context_.outcomes.refuse(asker, id,
                                      {Cause::kUnknownConnection, "manager", id.value(), 0});
    case Recovery::Fate::kNotYetRead: {
      // What is found of it later is removed. Whether there is anything is not known.
      std::vector<SwitchIndex> owing;
      const bool noted = recovery.release(id, now, owing);
      return context_.outcomes.refuse(asker, id, noted ? nobody_has(id, fate) : not_yet_read());
    }
    case Recovery::Fate::kUnknown: return context_.outcomes.refuse(asker, id, nobody_has(id, fate));
    case Recovery::Fate::kReleased: break;
  }
  Outcome outcome;
  outcome.kind = OutcomeKind::kReleased;
  outcome.connection = id;
  context_.outcomes.tell(asker, std::move(outcome), nullptr);
}

void CallRequests::release_incomplete(const Asker& asker, const IncompleteCall& call, EndWhy why,
                                      TimePoint now) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kReleased;
  outcome.connection = call.shown;
  const HopOwner owner = call.hops.front().owner();
  std::vector<SwitchIndex> owing;
  // `call` refers to its hops, which end here.
  if (!context_.recovery.release(call.id, now, owing)) {
    return context_.outcomes.refuse(asker, call.shown, not_yet_read());
  }
  const HopTree none;
  context_.outcomes.describe_debts(none, owing, outcome);
  const CallEndsRef ends = context_.connections.ends(owner.from, owner.to);
  const bool asked = why == EndWhy::kAsked;
  if (!asked) context_.log.ended(why, outcome.connection, owner.client, ends.get());
  context_.outcomes.tell(asker, std::move(outcome), ends.get(), kNotTimed, asked);
}

std::optional<Refusal> CallRequests::over_limit(ClientIndex client, std::uint64_t connections,
                                                std::uint64_t cells_per_s) {
  const Config& config = context_.config;
  const ClientUsage::Usage usage = context_.connections.usage().of(client);
  const auto exceeds = [](std::uint64_t has, std::uint64_t more, std::uint64_t most) {
    return most != 0 && more != 0 && has + more > most;
  };
  std::optional<Refusal> over;
  if (exceeds(usage.connections, connections, config.clients.calls_max)) {
    over = Refusal{Cause::kBusy, "calls of one client", usage.connections + connections,
                   config.clients.calls_max,
                   fmt::format("it has {}, and client-calls-max is {}", usage.connections,
                               config.clients.calls_max)};
  } else if (exceeds(usage.cells_per_s, cells_per_s, config.clients.cells_per_s_max)) {
    over = Refusal{Cause::kBusy, "cells/s of one client", usage.cells_per_s + cells_per_s,
                   config.clients.cells_per_s_max,
                   fmt::format("it has {}, asks for {} more, and client-cells-per-s-max is {}",
                               usage.cells_per_s, cells_per_s, config.clients.cells_per_s_max)};
  }
  if (over) ++context_.counters.over_client_limit;
  return over;
}

Refusal CallRequests::not_there(ConnectionId id) const {
  if (const auto call = context_.recovery.incomplete(id)) {
    return {Cause::kIncomplete, call->element, id.value(), 0, call->words()};
  }
  const bool unread = context_.recovery.fate_of(id) == Recovery::Fate::kNotYetRead;
  return unread ? not_yet_read() : Refusal{Cause::kUnknownConnection, "manager", id.value(), 0};
}

Refusal CallRequests::not_yet_read() const {
  return {Cause::kBusy, "switches not read since the restart", context_.recovery.unread(), 0};
}

Refusal CallRequests::nobody_has(ConnectionId id, Recovery::Fate fate) const {
  Refusal refusal{Cause::kUnknownConnection, "manager", id.value(), 0, {}};
  if (fate == Recovery::Fate::kNotYetRead) {
    refusal.reason = fmt::format(
        "not read since the manager's start: {}; what is found there of it is "
        "removed (alarm calls-incomplete)",
        switches_in_words(context_.recovery.unread()));
    return refusal;
  }
  const auto names = [&](const std::vector<SwitchIndex>& at) {
    std::string text;
    for (std::size_t i = 0; i < std::min(at.size(), kSwitchesInRefusal); ++i) {
      text += (i == 0 ? "" : ", ") + context_.switches.name(at[i]);
    }
    if (at.size() > kSwitchesInRefusal)
      text += fmt::format(" and {} more", at.size() - kSwitchesInRefusal);
    return text;
  };
  const Recovery::EntriesOfNobody at = context_.recovery.entries_of_nobody();
  if (!at.known.empty()) {
    refusal.reason = fmt::format(
        "it may be among the entries that nobody has claimed at {} (`xbindctl audit`, alarm "
        "entries-of-nobody)",
        names(at.known));
  }
  if (!at.unknown.empty()) {
    refusal.reason += fmt::format(
        "{}not known yet which entries nobody has at {} (`xbindctl alarms`: claims-awaited, "
        "switch-away)",
        at.known.empty() ? "" : "; ", names(at.unknown));
  }
  return refusal;
}

// ===== changes =====

Connection* CallRequests::find_changeable(const Asker& asker, ConnectionId id) {
  Connection* const found = context_.connections.find_shown(id);
  const auto refuse = [&](Cause cause) {
    context_.outcomes.refuse(asker, id, {cause, "manager", id.value(), 0});
    return nullptr;
  };
  if (found == nullptr || !found->asker()) {
    ++context_.counters.table_misses;
    context_.outcomes.refuse(asker, id, not_there(id));
    return nullptr;
  }
  if (found->procedure != nullptr) return refuse(found->procedure->refuses_change());
  ++context_.counters.table_hits;
  return found;
}

void CallRequests::act(const Asker& asker, const ModifyRequest& request, const RequestTimes&,
                       const Contract& contract, TimePoint now) {
  Connection* const connection = find_changeable(asker, request.connection);
  if (connection == nullptr) return;
  if (request.reverse.has_value() != connection->both()) {
    context_.outcomes.refuse(
        asker, request.connection,
        {Cause::kInvalidRequest, "reverse", 0, 0,
         connection->both() ? "a bidirectional connection needs a service for the other direction"
                            : "the connection is unidirectional: omit the reverse service"});
    return;
  }
  if (auto other = other_category(connection->contract(), contract)) {
    context_.outcomes.refuse(asker, request.connection, std::move(*other));
    return;
  }
  // The call stays its owner's, whoever changes it.
  const std::uint64_t has = cells_of(connection->contract());
  const std::uint64_t wanted = cells_of(contract);
  if (auto over = over_limit(connection->asker()->client, 0, wanted > has ? wanted - has : 0)) {
    context_.outcomes.refuse(asker, request.connection, std::move(*over));
    return;
  }
  context_.connections.leave_pool(*connection);
  begin<Modify>(context_, *connection, asker, contract).start(now);
}

void CallRequests::act(const Asker& asker, const CommitRequest& request, const RequestTimes&,
                       const Contract&, TimePoint now) {
  Connection* const found = context_.connections.find_shown(request.connection);
  if (found == nullptr || found->state() != State::kHeld) {
    commit_what_is_not_held(asker, request.connection, found);
    return;
  }
  for (const Hop& hop : found->hops()) {
    if (context_.switches.is_attached(hop.at)) continue;
    // No switch has received the commit: the connection stays held, and the client may commit it
    // when the switch is back.
    context_.outcomes.refuse(asker, request.connection,
                             {Cause::kSwitchUnreachable, context_.switches.name(hop.at)});
    return;
  }
  static_cast<Hold&>(*found->procedure).commit(asker, now);  // no other procedure is in that state
}

// A commit of a connection that is up has its result: its first answer may have been lost.
void CallRequests::commit_what_is_not_held(const Asker& asker, ConnectionId id,
                                           const Connection* found) {
  const auto refuse = [&](Cause cause) {
    context_.outcomes.refuse(asker, id, {cause, "manager", id.value(), 0});
  };
  if (context_.timers.expired_holds().contains(id)) return refuse(Cause::kHoldExpired);
  if (found == nullptr || !found->asker()) {
    context_.outcomes.refuse(asker, id, not_there(id));
    return;
  }
  switch (found->stage()) {
    case Stage::kUp: context_.outcomes.tell_again(asker, connected_outcome(*found)); return;
    case Stage::kHeld: return refuse(Cause::kChangeUnderWay);  // an earlier commit
    case Stage::kReleasing: return refuse(Cause::kBeingReleased);
    case Stage::kBegun: return refuse(Cause::kNotConnected);
  }
}

// ===== leaves =====

void CallRequests::act(const Asker& asker, const LeafRequest& request, const RequestTimes&,
                       const Contract&, TimePoint now) {
  Connection* const connection = find_changeable(asker, request.connection);
  if (connection == nullptr) return;
  if (connection->both()) {
    context_.outcomes.refuse(
        asker, request.connection,
        {Cause::kInvalidRequest, {}, 0, 0, "a bidirectional connection has no leaves"});
    return;
  }
  context_.connections.leave_pool(*connection);
  if (request.drop) {
    drop_leaf(*connection, asker, request, now);
  } else {
    add_leaf(*connection, asker, request, now);
  }
}

void CallRequests::add_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                            TimePoint now) {
  if (is_destination(connection, request.end)) {
    context_.outcomes.refuse(asker, request.connection, {Cause::kLeafExists, request.end});
    return;
  }
  const std::size_t leaves = connection.leaves().size();
  if (leaves >= kLeavesMax || connection.hops().size() >= kHopsMax) {
    context_.outcomes.refuse(asker, request.connection,
                             {Cause::kBusy, "leaves", leaves + 1, kLeavesMax});
    return;
  }
  begin<LeafProcedure>(context_, connection, asker, request.end).start_add(now);
}

void CallRequests::drop_leaf(Connection& connection, const Asker& asker, const LeafRequest& request,
                             TimePoint now) {
  if (!is_destination(connection, request.end)) {
    context_.outcomes.refuse(asker, request.connection, {Cause::kUnknownLeaf, request.end});
    return;
  }
  if (connection.leaves().size() + (connection.first_end_dropped() ? 0 : 1) == 1) {
    context_.outcomes.refuse(asker, request.connection,
                             {Cause::kLastLeaf, request.end, connection.shown_id().value(), 0});
    return;
  }
  begin<LeafProcedure>(context_, connection, asker, request.end).start_drop(now);
}

}  // namespace xbind::cmgr
