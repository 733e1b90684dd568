// ConnectionManager: what is unusable in the network, and another path for connections over it
// (call_fsm.hpp, path_change.hpp, connection.hpp: party).
//
// A connection without a usable path is astray. It waits in the queue, has another path under way, or
// none could be had: then it stays as it is, its client is told if the path is down, and it is tried
// again when the network changes, and every Config::reroute_retry, for calls that end make room.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "cmgr/path_change.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

namespace {

// When a take-over that was refused for the moment is tried again.
constexpr Duration kRerouteSoon = std::chrono::milliseconds{100};

}  // namespace

// --- what is unusable -------------------------------------------------------------------------------

void ConnectionManager::on_topology(const TopologyState& state, bool restarted) {
  ++counters_.topologies;
  const bool old = state.version <= topology_.version &&
                   (state.version == topology_.version || !planted(Bug::kOldTopologyBelieved));
  if (!restarted && old) {
    if (state.version < topology_.version) ++counters_.stale_topologies;
    return;
  }
  topology_ = state;
  resolve_unusable();
  // What leads on is right till its time is over, but that no path was found may be so no more.
  routes_.drop([&](const RouteReply& reply) {
    return reply.cause != Cause::kNone || first_unusable(reply).has_value();
  });
  // Collect first: what follows may end connections.
  std::vector<Connection*> up;
  for (Connection& connection : connections_) {
    switch (connection.state) {
      case State::kConnected:
      case State::kModifying:
      case State::kLowering:
      case State::kRestoring: break;
      default: continue;  // looked at once it is up
    }
    if (astray_.contains(connection.id) || first_unusable(connection)) up.push_back(&connection);
  }
  for (Connection* const connection : up) look_at_path(*connection);
  log::info("topology version {}: {} ports unusable, {} connections are to leave them",
            topology_.version, topology_.unusable.size(), astray_.size());
}

// By the numbers of the switches that are known.
void ConnectionManager::resolve_unusable() {
  unusable_.clear();
  switches_resolved_ = switches_.size();
  for (const UnusableElement& it : topology_.unusable) {
    const auto at = switches_.find(it.element.switch_name);
    if (!at) continue;
    const auto [port, fresh] = unusable_[*at].try_emplace(it.element.output_port, it.why);
    if (!fresh && it.why == Unusable::kDown) port->second = it.why;
  }
}

namespace {

// Whether a port is usable, drained, of an unknown switch or down.
enum class Use : std::uint8_t { kFree, kDrained, kUnknown, kDown };

// The lines of an unknown switch are to be left as drained ones are; a path over the switch itself is in doubt.
Use use_of(const std::map<PortId, Unusable>& unusable, PortId port) {
  Use use = Use::kFree;
  for (const PortId it : {port, PortId{}}) {
    const auto found = unusable.find(it);
    if (found == unusable.end()) continue;
    const bool in_doubt = it == PortId{} && found->second == Unusable::kUnknown;
    const Use works = in_doubt ? Use::kUnknown : Use::kDrained;
    use = std::max(use, found->second == Unusable::kDown ? Use::kDown : works);
  }
  return use;
}

}  // namespace

// The worst of what a path touches. A drained access line is nothing that another path could leave.
template <class Hops, class HopAt>
std::optional<ConnectionManager::Blocked> ConnectionManager::worst_of(const Hops& hops,
                                                                      HopAt&& hop_at) const {
  std::optional<Blocked> worst;
  const auto note = [&](SwitchIndex at, PortId port, bool at_an_end) {
    const auto unusable = unusable_.find(at);
    if (unusable == unusable_.end()) return;
    const Use use = use_of(unusable->second, port);
    if (use == Use::kFree || (at_an_end && use == Use::kDrained)) return;
    const bool unknown = use == Use::kUnknown;
    const auto rank = [](const Blocked& it) {
      return std::tuple{it.down(), !it.drained, it.at_an_end};
    };
    Blocked found{at, unknown ? PortId{} : port, use == Use::kDrained, unknown, at_an_end, {}};
    if (worst && rank(*worst) >= rank(found)) return;
    found.words =
        unknown ? switches_.name(at) : fmt::format("{} port {}", switches_.name(at), port);
    worst = std::move(found);
  };
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const auto [at, input, output, first, last] = hop_at(i);
    note(at, input, first);
    note(at, output, last);
  }
  return worst;
}

std::optional<ConnectionManager::Blocked> ConnectionManager::first_unusable(
    const Connection& connection) const {
  if (unusable_.empty()) return std::nullopt;
  return worst_of(connection.hops, [&](std::size_t i) {
    const Hop& hop = connection.hops[i];
    return std::tuple{hop.at, hop.input_port, hop.output_port, hop.upstream == Hop::kNoHop,
                      hop.last()};
  });
}

std::optional<ConnectionManager::Blocked> ConnectionManager::first_unusable(
    const RouteReply& route) const {
  if (unusable_.empty()) return std::nullopt;
  return worst_of(route.path.hops, [&](std::size_t i) {
    const PathHop& hop = route.path.hops[i];
    return std::tuple{route.at[i], hop.input_port, hop.output_port, i == 0,
                      i + 1 == route.path.hops.size()};
  });
}

// --- connections that are astray --------------------------------------------------------------------

// The connection is up, or its path has changed, or the network has.
void ConnectionManager::look_at_path(Connection& connection) {
  const bool told = connection.extras && connection.extras->broken;
  if (unusable_.empty() && !told && astray_.empty()) return;
  // Prepared in advance and given up already: it goes, whatever the network does now.
  if (!connection.asker && astray_.contains(connection.id)) return;
  const auto blocked = first_unusable(connection);
  if (told && (!blocked || blocked->drained)) {
    connection.extras->broken.reset();
    ++counters_.mended;
    if (!planted(Bug::kMendedNotTold)) notify(connection, NoticeKind::kMended, {});
  }
  if (!blocked) {
    astray_.erase(connection.id);
    return;
  }
  // One that is prepared in advance is ready for nobody: the pool fills itself with another.
  if (!connection.asker && connection.extras && connection.extras->pool != 0) {
    pools_.at(connection.extras->pool).drop(connection.id);
  }
  bool& queued = astray_.try_emplace(connection.id, false).first->second;
  if (!std::exchange(queued, true)) reroute_queue_.push_back(connection.id);
}

void ConnectionManager::notify(const Connection& connection, NoticeKind kind, Refusal why) {
  if (!connection.asker || connection.asker->client == ClientDesk::kLocal) return;
  clients_.notify(connection.asker->client, {connection.shown_id(), kind, why.cause,
                                             std::move(why.element), why.asked, why.free});
}

// No other path could be had. Of a drained one nobody needs to know. Over an unknown switch cells
// may go on: that is said, and no more.
void ConnectionManager::report_broken(Connection& connection, const Blocked& blocked, Refusal why) {
  if (blocked.drained) return;
  auto& broken = connection.more().broken;
  if (broken == blocked.words) return;
  broken = blocked.words;
  connection.extras->in_doubt = blocked.unknown;
  ++(blocked.unknown ? counters_.unknown : counters_.broken);
  if (blocked.unknown) {
    notify(connection, NoticeKind::kUnknown, {Cause::kNone, blocked.words});
  } else {
    notify(connection, NoticeKind::kBroken, std::move(why));
  }
}

void ConnectionManager::start_reroutes(TimePoint now) {
  while (!reroute_queue_.empty() && reroutes_under_way_ < config_.reroutes_at_once) {
    const ConnectionId id = reroute_queue_.front();
    reroute_queue_.pop_front();
    const auto waits = astray_.find(id);
    if (waits == astray_.end() || !std::exchange(waits->second, false)) continue;
    Connection& connection = connections_.at(id);
    // Else it is looked at again when what is under way has ended.
    if (connection.state != State::kConnected || connection.party() != nullptr) continue;
    if (!connection.asker) {
      // A prepared connection carries no cells yet.
      happen(connection, Event::kReleaseAsked, now);
      continue;
    }
    const auto blocked = first_unusable(connection);
    if (!blocked) {
      look_at_path(connection);
      continue;
    }
    const bool tree = std::any_of(connection.hops.begin(), connection.hops.end(),
                                  [](const Hop& hop) { return hop.leg > 1; }) ||
                      (connection.extras && connection.extras->first_end_dropped);
    if (tree || blocked->at_an_end || planted(Bug::kNeverRerouted)) {
      report_broken(connection, *blocked, {Cause::kLinkDown, blocked->words});
      continue;
    }
    begin_reroute(connection, *blocked, now);
  }
}

void ConnectionManager::retry_reroutes(TimePoint now) {
  if (now < reroute_retry_at_) return;
  reroute_retry_at_ = kNever;
  for (auto& [id, queued] : astray_) {
    if (!std::exchange(queued, true)) reroute_queue_.push_back(id);
  }
}

// --- another path -----------------------------------------------------------------------------------

void ConnectionManager::begin_reroute(Connection& root, const Blocked& why, TimePoint now) {
  ConnectionExtras& extras = root.more();
  extras.party = std::make_unique<Connection>();
  Connection& party = *extras.party;
  party.id = root.id;
  party.root = &root;
  party.both = root.both;
  party.generation = root.generation + 1;
  party.ends = root.ends;
  party.set_contract(root.contract());
  party.more().reroute = std::make_unique<Reroute>();
  party.reroute()->left = why.words;
  party.reroute()->old_down = why.down();
  party.reroute()->topology_version = topology_.version;
  ++reroutes_under_way_;
  ++counters_.reroutes_begun;
  find_route(party, now);
}

// The hops that are new. False: refused.
bool ConnectionManager::lay_path(Connection& party, const RouteReply& route, TimePoint now) {
  const Connection& root = *party.root;
  const auto last =
      std::find_if(root.hops.begin(), root.hops.end(), [](const Hop& hop) { return hop.last(); });
  const PathHop& begins = route.path.hops.front();
  const PathHop& ends = route.path.hops.back();
  const bool same_ends = route.at.front() == root.hops.front().at &&
                         begins.input_port == root.hops.front().input_port &&
                         route.at.back() == last->at && ends.output_port == last->output_port;
  party.hops.clear();
  party.reroute()->path.clear();
  party.reroute()->led_back = false;
  if (same_ends) {
    lay_leg(party, 0, route);
    if (party.both) lay_leg(party, 1, route);
  }
  // RouteObject's endpoint is somewhere else now, or it knows no other path than the old one.
  if (party.hops.empty()) {
    if (party.refusal().cause == Cause::kNone) party.refuse({Cause::kNoRoute, party.ends->to});
    happen(party, Event::kNoRoute, now);
    return false;
  }
  return true;
}

void ConnectionManager::lay_leg(Connection& party, std::uint16_t leg, const RouteReply& route) {
  const Hops& root = party.root->hops;
  std::vector<std::int16_t> old;
  std::vector<PathStep> from;
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root[i].leg != leg) continue;
    old.push_back(static_cast<std::int16_t>(i));
    from.push_back({root[i].at, root[i].input_port, root[i].output_port});
  }
  std::vector<PathStep> to;
  for (std::size_t i = 0; i < route.at.size(); ++i) {
    const PathHop& hop = route.path.hops[i];
    to.push_back({route.at[i], leg == 1 ? hop.output_port : hop.input_port,
                  leg == 1 ? hop.input_port : hop.output_port});
  }
  if (leg == 1) std::reverse(to.begin(), to.end());

  using Kind = StepChange::Kind;
  const std::vector<StepChange> changes = change_of_path(from, to);
  std::vector<std::int16_t>& path = party.reroute()->path;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const StepChange& change = changes[i];
    const std::int16_t earlier = change.old == StepChange::kNone ? Hop::kNoHop : old[change.old];
    if (change.kind == Kind::kStays) {
      path.push_back(earlier);
      continue;
    }
    Hop hop;
    hop.at = to[i].at;
    hop.input_port = to[i].input_port;
    hop.output_port = to[i].output_port;
    hop.leg = leg;
    hop.place(i, to.size());
    if (change.kind == Kind::kTakesOver) {
      const Hop& had = root[static_cast<std::size_t>(earlier)];
      hop.takes_over = true;
      hop.input_label = had.input_label;
      hop.outer = had.upstream;
    } else {
      hop.upstream = static_cast<std::int16_t>(party.hops.size() - 1);
    }
    if (change.kind == Kind::kJoins) {
      hop.joins = true;
      hop.output_label = root[static_cast<std::size_t>(earlier)].output_label;
      hop.borrows = earlier;
    }
    path.push_back(static_cast<std::int16_t>(~static_cast<std::int16_t>(party.hops.size())));
    party.hops.push_back(hop);
  }
}

// The new path carries the connection: its hops are the connection's from now on, and the party has the
// old ones. What a joining hop shares is its own then.
void ConnectionManager::go_over(Connection& party) {
  Connection& root = *party.root;
  Reroute& reroute = *party.reroute();
  constexpr std::int16_t kNoHop = Hop::kNoHop;
  std::vector<std::int16_t> stays_at(root.hops.size(), kNoHop);   // in the new list
  std::vector<std::int16_t> joined_at(root.hops.size(), kNoHop);  // the hop that has joined it
  Hops hops;
  hops.reserve(reroute.path.size());
  for (const std::int16_t step : reroute.path) {
    const auto place = static_cast<std::int16_t>(hops.size());
    const bool stays = step >= 0;
    const int at = stays ? step : ~step;
    Hop hop = (stays ? root : party).hops[static_cast<std::size_t>(at)];
    if (stays) stays_at[static_cast<std::size_t>(at)] = place;
    if (hop.joins) joined_at[static_cast<std::size_t>(hop.borrows)] = place;
    hop.upstream =
        hops.empty() || hops.back().leg != hop.leg ? kNoHop : static_cast<std::int16_t>(place - 1);
    hop.outer = kNoHop;
    hop.borrows = kNoHop;
    hop.takes_over = false;
    hop.joins = false;
    hops.push_back(hop);
  }

  std::vector<std::int16_t> old_at(root.hops.size(), kNoHop);  // in the party's list
  Hops old;
  for (std::size_t i = 0; i < root.hops.size(); ++i) {
    if (stays_at[i] != kNoHop) continue;
    old_at[i] = static_cast<std::int16_t>(old.size());
    Hop hop = root.hops[i];
    if (const std::int16_t up = std::exchange(hop.upstream, kNoHop); up != kNoHop) {
      const auto above = static_cast<std::size_t>(up);
      if (joined_at[above] != kNoHop) {
        hop.outer = joined_at[above];
      } else if (stays_at[above] != kNoHop) {
        hop.outer = stays_at[above];
      } else {
        hop.upstream = old_at[above];
      }
    }
    if (joined_at[i] != kNoHop) {
      Hop& heir = hops[static_cast<std::size_t>(joined_at[i])];
      heir.attachment = hop.attachment;
      heir.in_quarantine = hop.in_quarantine;
      heir.booked = hop.booked;
      hop.booked = false;
      if (!hop.last()) hop.output_label = {};
      hop.borrows = joined_at[i];
    }
    old.push_back(hop);
  }
  // Labels that debts hold as well go with their hops.
  std::erase_if(root.more().lent, [&](const auto& lent) {
    const bool goes = std::any_of(old.begin(), old.end(), [&](const Hop& hop) {
      return hop.borrows == kNoHop && hop.at == lent->at && hop.output_port == lent->port &&
             hop.output_label == lent->label;
    });
    if (goes) party.more().lent.push_back(lent);
    return goes;
  });
  root.hops = std::move(hops);
  party.hops = std::move(old);
  root.generation = party.generation;
  if (planted(Bug::kOldPathNotRemoved)) {
    for (Hop& hop : party.hops) hop.state = HopState::kIdle;
  }
  reroute.gone_over = true;
  ++root.extras->reroutes;
  root.extras->broken.reset();
  ++counters_.reroutes_done;
  notify(root, NoticeKind::kRerouted, {Cause::kNone, reroute.left});
}

// Nobody knows where a switch that cannot be reached sends the cells. Until it has said that they go the
// old way, the new path stays whole; the old one is as it was.
void ConnectionManager::lead_back_again(Connection& party, TimePoint now) {
  leave_turn(*party.reroute());
  for (Hop& hop : party.hops) {
    if (!hop.takes_over || hop.state != HopState::kNotRemoved || !switches_.is_attached(hop.at)) {
      continue;
    }
    hop.state = HopState::kRemoving;
    ++party.pending;
    run_errand(party, hop, Errand::kRemove, now);
  }
  arm(party, now);
  say_next(party, now);
}

// Others may begin.
void ConnectionManager::leave_turn(Reroute& reroute) {
  if (!std::exchange(reroute.turn_left, true)) --reroutes_under_way_;
}

// The party's hops are gone, or owed: those of the old path, or of the new one that could not be had.
void ConnectionManager::reroute_ends(Connection& root, TimePoint now) {
  const std::unique_ptr<Connection> party = std::move(root.extras->party);
  const Reroute& reroute = *party->reroute();
  root.generation = std::max(root.generation, party->generation);
  leave_turn(*party->reroute());
  const auto blocked = first_unusable(root);
  // The network may have changed meanwhile.
  if (reroute.gone_over || !blocked || reroute.topology_version != topology_.version) {
    if (!reroute.gone_over) ++counters_.reroutes_failed;
    look_at_path(root);
    return;
  }
  ++counters_.reroutes_failed;
  // A SwitchServer that has not come to rest with the old hop itself (it puts it back, or tells the
  // switch another contract) refuses a take-over for the moment.
  const bool soon = party->refusal().cause == Cause::kChangeUnderWay;
  if (!soon) report_broken(root, *blocked, party->refusal());
  reroute_retry_at_ = std::min(
      reroute_retry_at_,
      now + (soon ? std::min(kRerouteSoon, config_.reroute_retry) : config_.reroute_retry));
}

}  // namespace xbind::cmgr
