#include "cmgr/connection_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cmgr/service.hpp"
#include "core/log.hpp"

namespace xbind::cmgr {
namespace {

// A connection id is the epoch's low 24 bits over a 40-bit counter: unique across restarts.
constexpr unsigned kCounterBits = 40;
// More than any network of ours is wide; a longer path is a mistake of RouteObject.
constexpr std::size_t kHopsPerPath = 256;

bool told(HopState state) { return state != HopState::kIdle && state != HopState::kRefused; }

}  // namespace

std::size_t ConnectionManager::QueryHash::operator()(const RouteQuery& query) const {
  const std::hash<std::string> hash;
  return (hash(query.from) * 1'000'003 ^ hash(query.to)) * 1'000'003 ^ query.cells_per_s;
}

ConnectionManager::ConnectionManager(Config config, Peers& peers)
    : config_(std::move(config)),
      peers_(peers),
      clients_(config_, peers),
      switches_(config_, peers) {}

// --- clients ----------------------------------------------------------------------------------------

Result<ClientAttachment> ConnectionManager::attach_client(const std::string& name, Epoch epoch,
                                                          TimePoint now) {
  return clients_.attach(name, epoch, now);
}

void ConnectionManager::detach_client(SessionId session) { clients_.detach(session); }

void ConnectionManager::on_requests(SessionId session, session::Frame<RequestBatch> frame,
                                    TimePoint now) {
  std::vector<std::shared_ptr<const RequestBatch>> batches;
  const auto client = clients_.receive(session, std::move(frame), now, batches);
  if (!client) return;
  for (const auto& batch : batches) {
    // Releases first: they give back what the setups may need.
    for (const ReleaseRequest& request : batch->releases) {
      if (admit(*client, request.request)) release(*client, request, now);
    }
    for (const ConnectRequest& request : batch->connects) {
      if (admit(*client, request.request)) connect(*client, request, now);
    }
  }
}

bool ConnectionManager::admit(ClientIndex client, RequestId request) {
  switch (clients_.admit(client, request)) {
    case ClientDesk::Admission::kNew: return true;
    case ClientDesk::Admission::kRepeated: return false;  // its outcome is on its way, or comes
    case ClientDesk::Admission::kTooMany: break;
  }
  refuse_request(client, request, OutcomeKind::kBusy,
                 {Cause::kBusy, "manager", config_.requests_per_client + 1, 0});
  return false;
}

void ConnectionManager::connect_local(RequestId token, const std::string& from,
                                      const std::string& to, const ServiceSpec& service,
                                      TimePoint now) {
  if (!admit_local(token)) return;
  connect(ClientDesk::kLocal, ConnectRequest{token, from, to, service}, now);
}

void ConnectionManager::release_local(RequestId token, ConnectionId connection, TimePoint now) {
  if (!admit_local(token)) return;
  release(ClientDesk::kLocal, ReleaseRequest{token, connection}, now);
}

bool ConnectionManager::admit_local(RequestId token) {
  if (clients_.admit(ClientDesk::kLocal, token) == ClientDesk::Admission::kNew) return true;
  ++counters_.busy;
  Outcome outcome;
  outcome.request = token;
  outcome.kind = OutcomeKind::kBusy;
  outcome.cause = Cause::kBusy;
  outcome.element = "manager";
  peers_.local_outcome(token, std::move(outcome));
  return false;
}

void ConnectionManager::connect(ClientIndex client, const ConnectRequest& request, TimePoint now) {
  ++counters_.setups;
  if (connections_.size() >= config_.connections_max) {
    refuse_request(client, request.request, OutcomeKind::kBusy,
                   {Cause::kBusy, "manager", connections_.size() + 1, 0});
    return;
  }
  // Every call may end in as many debts as it has hops: what is owed must stay bounded, and nothing
  // that is owed may be forgotten.
  if (switches_.owed() >= config_.debts_max) {
    refuse_request(client, request.request, OutcomeKind::kBusy,
                   {Cause::kBusy, "removals owed", switches_.owed(), 0});
    return;
  }
  const auto demand = demand_of(request.service);
  if (!demand) {
    refuse_request(client, request.request, OutcomeKind::kRefused, demand.error());
    return;
  }
  auto made = std::make_unique<Connection>();
  Connection& connection = *made;
  connection.id = ConnectionId{(config_.epoch & 0xff'ffff) << kCounterBits | next_connection_++};
  connection.client = client;
  connection.request = request.request;
  connection.ends = std::make_shared<const CallEnds>(CallEnds{request.from, request.to});
  connection.demand = *demand;
  connections_.emplace(connection.id, std::move(made));
  clients_.owns(client, +1);

  RouteQuery query{request.from, request.to, demand->cells_per_s};
  if (const auto route = routes_.find(query, now)) {
    start_path(connection, *route, now);
    return;
  }
  arm(connection, now);
  auto& waiting = waiting_for_route_[query];
  waiting.push_back(connection.id);
  if (waiting.size() == 1) queries_.push_back(std::move(query));
}

void ConnectionManager::release(ClientIndex client, const ReleaseRequest& request, TimePoint now) {
  ++counters_.releases;
  const auto found = connections_.find(request.connection);
  if (found == connections_.end()) {
    refuse_request(client, request.request, OutcomeKind::kRefused,
                   {Cause::kUnknownConnection, "manager", request.connection.value(), 0});
    return;
  }
  Connection& connection = *found->second;
  if (connection.state != State::kConnected) {
    refuse_request(
        client, request.request, OutcomeKind::kRefused,
        {connection.state == State::kReleasing ? Cause::kBeingReleased : Cause::kUnknownConnection,
         "manager", request.connection.value(), 0});
    return;
  }
  connection.releaser = client;
  connection.release_request = request.request;
  // The answer goes to whoever asked, also when that is not who set the connection up.
  clients_.owns(client, +1);
  happen(connection, Event::kReleaseAsked, now);
}

void ConnectionManager::refuse_request(ClientIndex client, RequestId request, OutcomeKind kind,
                                       Refusal refusal) {
  ++(kind == OutcomeKind::kBusy ? counters_.busy : counters_.refused);
  Outcome outcome;
  outcome.request = request;
  outcome.kind = kind;
  outcome.cause = refusal.cause;
  outcome.element = std::move(refusal.element);
  outcome.asked = refusal.asked;
  outcome.free = refusal.free;
  clients_.answer(client, std::move(outcome));
}

// --- the call ---------------------------------------------------------------------------------------

void ConnectionManager::happen(Connection& connection, Event event, TimePoint now) {
  const auto step = cmgr::step(connection.state, event);
  if (!step) {
    ++counters_.meaningless_events;
    return;
  }
  connection.state = step->next;
  arm(connection, now);
  perform(connection, step->action, now);  // may end the connection's life
}

void ConnectionManager::perform(Connection& connection, Action action, TimePoint now) {
  switch (action) {
    case Action::kReserveMissing: reserve_missing(connection, now); return;
    case Action::kCommitEveryHop: commit_every_hop(connection, now); return;
    case Action::kAnswerConnected: answer(connection, OutcomeKind::kConnected); return;
    case Action::kRemoveEveryHop: remove_every_hop(connection, now); return;
    case Action::kOweThenAnswerRefused: owe_unconfirmed(connection, now); [[fallthrough]];
    case Action::kAnswerRefused:
      answer(connection, OutcomeKind::kRefused);
      forget(connection, now);
      return;
    case Action::kOweThenAnswerReleased: owe_unconfirmed(connection, now); [[fallthrough]];
    case Action::kAnswerReleased:
      answer(connection, OutcomeKind::kReleased);
      forget(connection, now);
      return;
  }
}

void ConnectionManager::start_path(Connection& connection, const RouteReply& route, TimePoint now) {
  const auto refuse = [&](Refusal refusal) {
    connection.refusal = std::move(refusal);
    happen(connection, Event::kNoRoute, now);
  };
  if (route.cause != Cause::kNone) {
    const bool numbers = route.cause == Cause::kNoBandwidth;
    refuse({route.cause, route.element, numbers ? connection.demand.cells_per_s : 0, route.free});
    return;
  }
  for (const SwitchIndex at : route.at) {
    if (!switches_.is_attached(at)) {
      refuse({Cause::kSwitchUnreachable, switches_.name(at)});
      return;
    }
    if (switches_.full(at)) {
      refuse({Cause::kBusy, switches_.name(at)});
      return;
    }
  }
  connection.hops.resize(route.path.hops.size());
  bool all_at_hand = true;
  for (std::size_t i = 0; i < connection.hops.size(); ++i) {
    Hop& hop = connection.hops[i];
    hop.at = route.at[i];
    hop.input_port = route.path.hops[i].input_port;
    hop.output_port = route.path.hops[i].output_port;
    hop.attachment = switches_.attachment(hop.at);
    if (i + 1 == connection.hops.size()) break;
    if (const auto label = switches_.cache(hop.at, hop.output_port).take()) {
      hop.output_label = *label;
      connection.hops[i + 1].input_label = *label;
    } else {
      all_at_hand = false;
    }
  }
  happen(connection, all_at_hand ? Event::kRouteKnownLabelsAtHand : Event::kRouteKnown, now);
}

void ConnectionManager::reserve_missing(Connection& connection, TimePoint now) {
  connection.pending = 0;
  for (std::size_t i = 0; i + 1 < connection.hops.size(); ++i) {
    if (!connection.hops[i].output_label.present()) ++connection.pending;
  }
  for (std::size_t i = 0; i + 1 < connection.hops.size(); ++i) {
    Hop& hop = connection.hops[i];
    if (hop.output_label.present()) continue;
    hop.state = HopState::kReserving;
    switches_.queue(hop.at, setup_for(connection, hop, false), now);
  }
}

void ConnectionManager::commit_every_hop(Connection& connection, TimePoint now) {
  connection.pending = static_cast<std::uint16_t>(connection.hops.size());
  for (Hop& hop : connection.hops) {
    hop.state = HopState::kCommitting;
    switches_.queue(hop.at, setup_for(connection, hop, true), now);
  }
}

void ConnectionManager::remove_every_hop(Connection& connection, TimePoint now) {
  if (connection.state == State::kUndoing) ++counters_.undone;
  connection.pending = 0;
  for (Hop& hop : connection.hops) {
    if (!told(hop.state)) continue;
    // Nothing to wait for where nobody is: that removal is owed when the others are done.
    if (!switches_.is_attached(hop.at)) {
      hop.state = HopState::kNotRemoved;
      continue;
    }
    hop.state = HopState::kRemoving;
    ++connection.pending;
    switches_.queue(hop.at, key_of(connection, hop), now);
  }
  if (connection.pending == 0) removals_done(connection, now);
}

void ConnectionManager::removals_done(Connection& connection, TimePoint now) {
  const bool owed = std::any_of(connection.hops.begin(), connection.hops.end(),
                                [](const Hop& hop) { return hop.state == HopState::kNotRemoved; });
  happen(connection, owed ? Event::kTimeout : Event::kAllRemoved, now);
}

void ConnectionManager::owe_unconfirmed(Connection& connection, TimePoint now) {
  // A link's label is free when neither of its two hops owes a removal any more.
  std::vector<std::shared_ptr<OwedLabel>> labels(connection.hops.size());
  const auto owes = [&](std::size_t hop) {
    const HopState state = connection.hops[hop].state;
    return state == HopState::kRemoving || state == HopState::kNotRemoved;
  };
  for (std::size_t i = 0; i + 1 < connection.hops.size(); ++i) {
    Hop& hop = connection.hops[i];
    if (!hop.output_label.present() || (!owes(i) && !owes(i + 1))) continue;
    labels[i] = std::make_shared<OwedLabel>(label_of(hop));
    hop.output_label = {};
  }
  for (std::size_t i = 0; i < connection.hops.size(); ++i) {
    if (!owes(i)) continue;
    const Hop& hop = connection.hops[i];
    Debt debt{hop.output_port, hop.state == HopState::kRemoving, {}};
    if (labels[i]) debt.labels.push_back(labels[i]);
    if (i > 0 && labels[i - 1]) debt.labels.push_back(labels[i - 1]);
    log::warn("connection {}: the removal of hop {} at {} is owed", connection.id, i,
              switches_.name(hop.at));
    switches_.owe(hop.at, key_of(connection, hop), std::move(debt), now);
  }
}

// Every hop that might use them has confirmed its removal: the labels leave quarantine.
void ConnectionManager::settle_labels(Connection& connection, TimePoint now) {
  for (std::size_t i = 0; i + 1 < connection.hops.size(); ++i) {
    const Hop& hop = connection.hops[i];
    if (hop.output_label.present()) switches_.give_back(label_of(hop), now);
  }
}

OwedLabel ConnectionManager::label_of(const Hop& hop) {
  return {hop.at, hop.output_port, hop.output_label, hop.attachment, hop.in_quarantine};
}

void ConnectionManager::answer(Connection& connection, OutcomeKind kind) {
  Outcome outcome;
  outcome.kind = kind;
  ClientIndex client = connection.client;
  outcome.request = connection.request;
  switch (kind) {
    case OutcomeKind::kConnected:
      ++counters_.connected;
      outcome.connection = connection.id;
      outcome.ingress = connection.hops.front().input_label;
      outcome.egress = connection.hops.back().output_label;
      break;
    case OutcomeKind::kReleased:
      ++counters_.released;
      client = connection.releaser;
      outcome.request = connection.release_request;
      outcome.connection = connection.id;
      break;
    case OutcomeKind::kRefused:
    case OutcomeKind::kBusy: {
      const bool busy = connection.refusal.cause == Cause::kBusy;
      ++(busy ? counters_.busy : counters_.refused);
      outcome.kind = busy ? OutcomeKind::kBusy : OutcomeKind::kRefused;
      outcome.cause = connection.refusal.cause;
      outcome.element = connection.refusal.element;
      outcome.asked = connection.refusal.asked;
      outcome.free = connection.refusal.free;
      break;
    }
  }
  clients_.answer(client, std::move(outcome));
  if (kind == OutcomeKind::kReleased) clients_.owns(client, -1);
}

void ConnectionManager::forget(Connection& connection, TimePoint now) {
  // Asked for and never answered in this connection's life: the cache may ask again.
  for (Hop& hop : connection.hops) labels_answered(hop);
  settle_labels(connection, now);
  const ClientIndex client = connection.client;
  connections_.erase(connection.id);  // unlinks it from its timer list
  clients_.owns(client, -1);
}

// --- routes -----------------------------------------------------------------------------------------

void ConnectionManager::on_routes(std::vector<RouteReply> replies, Duration validity,
                                  TimePoint now) {
  for (RouteReply& reply : replies) {
    if (reply.cause == Cause::kNone) resolve_switches(reply);
    auto waiting = waiting_for_route_.extract(reply.query);
    auto answer = std::make_shared<const RouteReply>(std::move(reply));
    if (answer->cause == Cause::kNoRouteObject) {
      // Better the last route known than none: the switches decide anyway.
      if (auto stale = routes_.find(answer->query, now, true)) answer = std::move(stale);
    } else {
      routes_.store(answer, now + validity, now);
    }
    if (waiting.empty()) continue;
    for (const ConnectionId id : waiting.mapped()) {
      const auto found = connections_.find(id);
      if (found != connections_.end() && found->second->state == State::kRouting) {
        start_path(*found->second, *answer, now);
      }
    }
  }
}

// --- time -------------------------------------------------------------------------------------------

// RouteObject is another process: a path that cannot be used is no path.
void ConnectionManager::resolve_switches(RouteReply& reply) {
  if (reply.path.hops.empty() || reply.path.hops.size() > kHopsPerPath) {
    log::warn("routeobject names a path of {} hops from {} to {}", reply.path.hops.size(),
              reply.query.from, reply.query.to);
    reply.cause = Cause::kNoRoute;
    reply.element = "routeobject";
    return;
  }
  for (const PathHop& hop : reply.path.hops) {
    if (!switches_.find(hop.switch_name) && switches_.size() >= SwitchDesk::kSwitches) {
      log::warn("routeobject names {}, but {} switches are known already", hop.switch_name,
                switches_.size());
      reply.cause = Cause::kNoRoute;
      reply.element = hop.switch_name;
      return;
    }
    reply.at.push_back(switches_.index_of(hop.switch_name));
  }
}

void ConnectionManager::tick(TimePoint now) {
  clients_.tick(now);
  for (const SwitchIndex at : switches_.tick(now)) {
    abandon_switch(at, now);
    peers_.attach_switch(switches_.name(at));
  }
  expire(routing_, now);
  expire(setting_up_, now);
  expire(removing_, now);
}

void ConnectionManager::expire(TimerList& list, TimePoint now) {
  while (!list.empty() && list.front().deadline <= now) {
    Connection& connection = list.front();
    if (connection.state == State::kRouting) {
      const RouteQuery query{connection.ends->from, connection.ends->to,
                             connection.demand.cells_per_s};
      if (const auto stale = routes_.find(query, now, true)) {
        start_path(connection, *stale, now);
        continue;
      }
      connection.refusal = {Cause::kNoRouteObject, "routeobject"};
    } else if (&list == &setting_up_) {
      connection.refusal = {Cause::kTimeout, unanswered(connection)};
    }
    happen(connection, Event::kTimeout, now);
  }
}

std::string ConnectionManager::unanswered(const Connection& connection) const {
  for (const Hop& hop : connection.hops) {
    if (hop.state == HopState::kReserving || hop.state == HopState::kCommitting) {
      return switches_.name(hop.at);
    }
  }
  return "manager";
}

TimePoint ConnectionManager::next_deadline() const {
  TimePoint due = std::min(clients_.next_deadline(), switches_.next_deadline());
  for (const TimerList* list : {&routing_, &setting_up_, &removing_}) {
    if (!list->empty()) due = std::min(due, list->front().deadline);
  }
  return due;
}

void ConnectionManager::finish_step(TimePoint now) {
  switches_.flush(now);
  clients_.flush(now);
  if (!queries_.empty()) {
    counters_.route_queries += queries_.size();
    peers_.ask_routes(std::exchange(queries_, {}));
  }
}

void ConnectionManager::arm(Connection& connection, TimePoint now) {
  connection.unlink();
  switch (connection.state) {
    case State::kRouting:
      connection.deadline = now + config_.route_timer;
      routing_.push_back(connection);
      break;
    case State::kReserving:
    case State::kCommitting:
      connection.deadline = now + config_.hop_timer;
      setting_up_.push_back(connection);
      break;
    case State::kUndoing:
    case State::kReleasing:
      connection.deadline = now + config_.undo_timer;
      removing_.push_back(connection);
      break;
    case State::kConnected:
    case State::kGone: connection.deadline = kNever; break;
  }
}

// --- helpers ----------------------------------------------------------------------------------------

HopKey ConnectionManager::key_of(const Connection& connection, const Hop& hop) const {
  return {connection.id, connection.generation, 0,
          static_cast<std::uint16_t>(&hop - connection.hops.data())};
}

HopSetup ConnectionManager::setup_for(Connection& connection, Hop& hop, bool commit) {
  HopSetup setup;
  setup.key = key_of(connection, hop);
  setup.commit = commit;
  setup.hop_count = static_cast<std::uint16_t>(connection.hops.size());
  setup.input_port = hop.input_port;
  setup.output_port = hop.output_port;
  if (commit) {
    setup.input_label = hop.input_label;
    setup.output_label = hop.output_label;
  } else {
    hop.reserved = true;
  }
  setup.demand = connection.demand;
  if (!setup.last()) {
    hop.labels_asked = switches_.cache(hop.at, hop.output_port).want();
    setup.labels_wanted = hop.labels_asked;
  }
  setup.call = {clients_.name(connection.client), connection.request, connection.ends->from,
                connection.ends->to};
  return setup;
}

}  // namespace xbind::cmgr
