// ConnectionManager, first part: requests come in, wait if they must, and are begun.
#include "cmgr/connection_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "cmgr/request_digest.hpp"
#include "cmgr/service.hpp"
#include "core/log.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {
namespace {

// A connection id is the epoch's low 24 bits over a 40-bit counter: unique across restarts.
constexpr unsigned kCounterBits = 40;
// Urgency in the gate: what gives something back goes first, then calls by their priority.
constexpr unsigned kReleases = kPriorityMax + 1;
constexpr std::size_t kParkedMax = 100'000;

// What the request asks the QOSMapper for: forward and reverse; null where
// there is none.
using Services = std::array<const ServiceSpec*, 2>;

template <class Body>
Services services_of(const Body& body) {
  if constexpr (std::is_same_v<Body, ConnectRequest> || std::is_same_v<Body, ModifyRequest>) {
    return {&body.service, body.reverse ? &*body.reverse : nullptr};
  } else {
    return {};
  }
}

Contract contract_of(const NetworkService* forward, const NetworkService* reverse) {
  Contract contract;
  if (forward != nullptr) {
    contract.forward = forward->resources;
    contract.traffic = forward->contract;
  }
  if (reverse != nullptr) {
    contract.reverse = reverse->resources;
    contract.reverse_traffic = reverse->contract;
  }
  return contract;
}

}  // namespace

std::size_t ConnectionManager::QueryHash::operator()(const RouteQuery& query) const {
  std::uint64_t sum = mix_hash(name_hash(query.from, query.to) ^ query.cells_per_s);
  for (const PathElement& element : query.avoid) {
    sum = mix_hash(sum ^ name_hash(element.switch_name) ^ element.output_port.value());
  }
  return sum;
}

ConnectionManager::ConnectionManager(Config config, Peers& peers)
    : config_(std::move(config)),
      peers_(peers),
      clients_(config_, peers, times_),
      switches_(config_, peers, times_),
      routes_(config_.route_cache),
      gate_(config_.operations_at_once, config_.operations_waiting, config_.queue_timer) {}

ConnectionManager::~ConnectionManager() = default;

// --- clients ----------------------------------------------------------------------------------------

Result<ClientAttachment> ConnectionManager::attach_client(const std::string& name, Epoch epoch,
                                                          TimePoint now) {
  return clients_.attach(name, epoch, now);
}

void ConnectionManager::detach_client(SessionId session) { clients_.detach(session); }

void ConnectionManager::end_client_sessions() { clients_.end_all(); }

void ConnectionManager::on_requests(SessionId session, session::Frame<RequestBatch> frame,
                                    TimePoint now) {
  std::vector<std::shared_ptr<const RequestBatch>> batches;
  const auto client = clients_.receive(session, std::move(frame), now, batches);
  if (!client) return;
  for (const auto& batch : batches) {
    // Releases first: they give back what the others may need.
    connections_.for_each_of(
        batch->releases,
        [](const ReleaseRequest& request) {
          return std::pair{request.connection, std::size_t{0}};
        },
        [&](const ReleaseRequest& request) { submit(*client, request, kReleases, now); });
    for (const auto& request : batch->commits) submit(*client, request, kPriorityMax, now);
    for (const auto& request : batch->modifies) submit(*client, request, kPriorityMax, now);
    for (const auto& request : batch->leaves) {
      submit(*client, request, request.drop ? kReleases : kPriorityMax, now);
    }
    for (const auto& request : batch->connects) {
      submit(*client, request, std::min(request.priority, kPriorityMax), now);
    }
  }
}

void ConnectionManager::request_local(RequestId token, RequestBody request, TimePoint now) {
  std::visit(
      [&](auto& body) {
        body.request = token;
        submit(ClientDesk::kLocal, body, kPriorityMax, now);
      },
      request);
}

void ConnectionManager::connect_local(RequestId token, const std::string& from,
                                      const std::string& to, const ServiceSpec& service,
                                      TimePoint now) {
  request_local(token, ConnectRequest{token, from, to, service}, now);
}

void ConnectionManager::release_local(RequestId token, ConnectionId connection, TimePoint now) {
  request_local(token, ReleaseRequest{token, connection}, now);
}

template <class Body>
void ConnectionManager::submit(ClientIndex client, const Body& request, unsigned urgency,
                               TimePoint now) {
  const std::uint64_t digest = client == ClientDesk::kLocal ? 0 : digest_of(request);
  if (!admit(client, request.request, digest, connection_of(request))) return;
  switches_.aggregation().on_operation(now);
  if (const auto named = check_ends(request); !named) {
    // Here already: a request that waits keeps what it has brought.
    gate_.started();
    refuse_request({client, request.request}, connection_of(request),
                   {Cause::kInvalidRequest, {}, 0, 0, named.error().text});
    return;
  }
  if (gate_.open() && gate_.waiting() == 0) {
    gate_.started();
    begin(client, request, {now}, now);
    return;
  }
  ++counters_.waited;
  if (const auto given_up = gate_.push(urgency, Request{client, request, {now}}, now)) {
    turn_away(given_up->client, given_up->id(), given_up->connection(),
              {Cause::kBusy, "requests waiting", gate_.waiting() + 1, gate_.waiting()});
  }
}

// Begins what waited, as far as there is room; what has waited too long is busy.
void ConnectionManager::pump(TimePoint now) {
  while (auto late = gate_.expired(now)) {
    turn_away(late->client, late->id(), late->connection(),
              {Cause::kBusy, "requests waiting", gate_.waiting() + 1, gate_.waiting()});
  }
  while (gate_.open()) {
    auto next = gate_.pop();
    if (!next) break;
    gate_.started();
    std::visit([&](const auto& body) { begin(next->client, body, next->times, now); }, next->body);
  }
}

// --- QOS mapping ------------------------------------------------------------------------------------

template <class Body>
void ConnectionManager::begin(ClientIndex client, const Body& body, RequestTimes times,
                              TimePoint now) {
  times.begun = now;
  const Asker asker{client, body.request};
  const Services services = services_of(body);
  std::array<NetworkService, 2> mapped;
  for (std::size_t i = 0; i < services.size(); ++i) {
    if (services[i] == nullptr) continue;
    if (config_.remote_qos) {
      const auto known = config_.qos_cache ? services_.find(*services[i], now) : std::nullopt;
      if (!known) {
        park(Request{client, body, times}, now);
        return;
      }
      mapped[i] = *known;
      continue;
    }
    const auto network = network_of(*services[i], *config_.catalogue);
    if (!network) {
      refuse_request(asker, connection_of(body), network.error());
      return;
    }
    ++counters_.mapped_here;
    mapped[i] = *network;
  }
  act(asker, body, times,
      contract_of(services[0] != nullptr ? &mapped[0] : nullptr,
                  services[1] != nullptr ? &mapped[1] : nullptr),
      now);
}

void ConnectionManager::park(Request request, TimePoint now) {
  if (parked_.size() >= kParkedMax) {
    const Asker asker{request.client, request.id()};
    refuse_request(asker, request.connection(),
                   {Cause::kBusy, "qosmapper", parked_.size() + 1, kParkedMax});
    return;
  }
  Parked parked{std::move(request), {}, now + config_.route_timer};
  const Services services =
      std::visit([](const auto& body) { return services_of(body); }, parked.request.body);
  for (const ServiceSpec* const asked : services) {
    if (asked == nullptr) continue;
    const ServiceSpec& service = *asked;
    parked.services.emplace_back(service, std::nullopt);
    // Without a cache every request asks for itself.
    if (asked_services_.insert(service).second || !config_.qos_cache) {
      services_to_ask_.push_back(service);
    }
  }
  parked_.push_back(std::move(parked));
}

void ConnectionManager::on_services(const std::vector<ServiceReply>& replies, TimePoint now) {
  for (const ServiceReply& reply : replies) {
    asked_services_.erase(reply.service);
    if (reply.mapped && config_.qos_cache) services_.store(reply.service, *reply.mapped, now);
    std::deque<Parked> still;
    bool served = false;
    for (Parked& parked : std::exchange(parked_, {})) {
      bool waits = false;
      bool concerned = false;
      for (auto& [service, network] : parked.services) {
        const bool for_it = !network && service == reply.service && (config_.qos_cache || !served);
        concerned = concerned || for_it;
        if (for_it && reply.mapped) network = *reply.mapped;
        waits = waits || !network;
      }
      if (concerned) served = true;
      if (concerned && !reply.mapped) {
        refuse_request({parked.request.client, parked.request.id()}, parked.request.connection(),
                       reply.mapped.error());
      } else if (waits) {
        still.push_back(std::move(parked));
      } else {
        const auto& services = parked.services;
        const Contract contract =
            contract_of(&*services[0].second, services.size() > 1 ? &*services[1].second : nullptr);
        const Request& request = parked.request;
        std::visit(
            [&](const auto& body) {
              act({request.client, body.request}, body, request.times, contract, now);
            },
            request.body);
      }
    }
    // Those that came meanwhile are behind.
    for (Parked& parked : parked_) still.push_back(std::move(parked));
    parked_ = std::move(still);
  }
}

template <class Body>
void ConnectionManager::act(const Asker& asker, const Body& request, const RequestTimes& times,
                            const Contract& contract, TimePoint now) {
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    connect(asker, request, times, contract, now);
  } else if constexpr (std::is_same_v<Body, ReleaseRequest>) {
    release(asker, request, times, now);
  } else if constexpr (std::is_same_v<Body, ModifyRequest>) {
    modify(asker, request, contract, now);
  } else if constexpr (std::is_same_v<Body, LeafRequest>) {
    change_leaf(asker, request, now);
  } else {
    static_assert(std::is_same_v<Body, CommitRequest>);
    commit(asker, request, now);
  }
}

// --- requests ---------------------------------------------------------------------------------------

namespace {

std::optional<Refusal> broken_rule(const ConnectRequest& request) {
  if (request.priority > kPriorityMax) {
    return Refusal{Cause::kInvalidRequest, "priority", request.priority, kPriorityMax,
                   fmt::format("the priority {} is above {}", request.priority, kPriorityMax)};
  }
  if (request.hold_ms > kHoldMsMax) {
    return Refusal{Cause::kInvalidRequest, "hold", request.hold_ms, kHoldMsMax,
                   fmt::format("{} ms are longer than {} ms", request.hold_ms, kHoldMsMax)};
  }
  if (request.broken_rule.empty()) return std::nullopt;
  return Refusal{Cause::kInvalidRequest, {}, 0, 0, request.broken_rule};
}

}  // namespace

void ConnectionManager::connect(Asker asker, const ConnectRequest& request,
                                const RequestTimes& times, const Contract& contract,
                                TimePoint now) {
  ++counters_.setups;
  if (auto broken = broken_rule(request)) {
    refuse_request(asker, {}, std::move(*broken));
    return;
  }
  if (connections_.size() >= config_.connections_max) {
    refuse_request(asker, {},
                   {Cause::kBusy, "manager", connections_.size() + 1, config_.connections_max});
    return;
  }
  // Every call may end in as many debts as it has hops: what is owed must stay bounded, and nothing
  // that is owed may be forgotten.
  if (switches_.owed() >= config_.debts_max) {
    refuse_request(asker, {}, {Cause::kBusy, "removals owed", switches_.owed(), config_.debts_max});
    return;
  }
  if (take_prepared(asker, request, times, contract, now)) return;
  Connection& connection = make_connection(asker, request.from, request.to, contract);
  connection.both = request.reverse.has_value();
  if (request.hold_ms != 0) {
    connection.more().hold = std::chrono::milliseconds{request.hold_ms};
  } else {
    connection.times = times_.open_setup(times, now);
  }
  find_route(connection, now);
}

ConnectionId ConnectionManager::new_id() {
  return ConnectionId{(config_.epoch & 0xff'ffff) << kCounterBits | next_connection_++};
}

Connection* ConnectionManager::find_shown(ConnectionId id) const {
  const ConnectionId own = aliases_.empty() ? ConnectionId{} : aliases_.find(id);
  Connection* const found = connections_.find(own == ConnectionId{} ? id : own);
  return found == nullptr || found->shown_id() != id ? nullptr : found;
}

Connection& ConnectionManager::make_connection(OptionalAsker asker, const std::string& from,
                                               const std::string& to, const Contract& contract) {
  Connection& connection = connections_.make(new_id());
  connection.asker = asker;
  connection.ends = ends_.get(from, to);
  connection.set_contract(contract);
  if (asker) clients_.owns(asker->client, +1);
  return connection;
}

void ConnectionManager::release(Asker asker, const ReleaseRequest& request,
                                const RequestTimes& times, TimePoint now) {
  ++counters_.releases;
  Connection* const found = find_shown(request.connection);
  if (found == nullptr) {
    ++counters_.table_misses;
    refuse_request(asker, request.connection,
                   {Cause::kUnknownConnection, "manager", request.connection.value(), 0});
    return;
  }
  Connection& connection = *found;
  if (connection.state == State::kReleasing) {
    refuse_request(asker, request.connection,
                   {Cause::kBeingReleased, "manager", request.connection.value(), 0});
    return;
  }
  if (connection.state == State::kCommitting && connection.extras && connection.extras->changer) {
    // It was held, so that the client knows it; it is up, or gone, in a moment.
    refuse_request(asker, request.connection,
                   {Cause::kChangeUnderWay, "manager", request.connection.value(), 0});
    return;
  }
  // One that is still being set up is nobody's to release: its id has not been told yet. Nor is one
  // that waits for its first call.
  if (!step(connection.state, Event::kReleaseAsked) || !connection.asker) {
    refuse_request(asker, request.connection,
                   {Cause::kUnknownConnection, "manager", request.connection.value(), 0});
    return;
  }
  ++counters_.table_hits;
  connection.releaser = asker;
  connection.times = times_.open_release(times);
  // The answer goes to whoever asked, also when that is not who set the connection up.
  clients_.owns(asker.client, +1);
  if (return_prepared(connection, now)) return;
  happen(connection, Event::kReleaseAsked, now);
}

void ConnectionManager::commit(Asker asker, const CommitRequest& request, TimePoint now) {
  Connection* const found = connections_.find(request.connection);
  if (found == nullptr || found->state != State::kHeld) {
    const bool expired = expired_holds_.contains(request.connection);
    const bool known = found != nullptr && !expired;
    refuse_request(asker, request.connection,
                   {expired ? Cause::kHoldExpired
                    : known ? Cause::kNotConnected
                            : Cause::kUnknownConnection,
                    "manager", request.connection.value(), 0});
    return;
  }
  Connection& connection = *found;
  for (const Hop& hop : connection.hops) {
    if (switches_.is_attached(hop.at)) continue;
    // Nobody has been told: it stays held, and may be committed when the switch is back.
    refuse_request(asker, request.connection, {Cause::kSwitchUnreachable, switches_.name(hop.at)});
    return;
  }
  connection.more().changer = asker;
  clients_.owns(asker.client, +1);
  happen(connection, Event::kCommitAsked, now);
}

Connection* ConnectionManager::find_changeable(const Asker& asker, ConnectionId id) {
  Connection* const found = find_shown(id);
  const auto refuse = [&](Cause cause) {
    refuse_request(asker, id, {cause, "manager", id.value(), 0});
    return nullptr;
  };
  if (found == nullptr || !found->asker) {
    ++counters_.table_misses;
    return refuse(Cause::kUnknownConnection);
  }
  Connection& connection = *found;
  switch (connection.state) {
    case State::kConnected: break;
    case State::kReleasing: return refuse(Cause::kBeingReleased);
    case State::kModifying:
    case State::kLowering:
    case State::kRestoring: return refuse(Cause::kChangeUnderWay);
    case State::kHeld: return refuse(Cause::kNotConnected);
    default: return refuse(Cause::kUnknownConnection);
  }
  if (connection.party() != nullptr) return refuse(Cause::kChangeUnderWay);
  ++counters_.table_hits;
  return &connection;
}

// --- the end of a step ------------------------------------------------------------------------------

void ConnectionManager::finish_step(TimePoint now) {
  pump(now);
  start_reroutes(now);
  if (!pools_.empty()) fill_pools(now);
  switches_.flush(now);
  clients_.flush(now);
  if (!queries_.empty()) {
    counters_.route_queries += queries_.size();
    peers_.ask_routes(std::exchange(queries_, {}));
  }
  if (!services_to_ask_.empty()) {
    counters_.service_queries += services_to_ask_.size();
    peers_.ask_services(std::exchange(services_to_ask_, {}));
  }
}

}  // namespace xbind::cmgr
