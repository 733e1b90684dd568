#include "cmgr/request_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>

#include "cmgr/parts/request_digest.hpp"
#include "cmgr/parts/service.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// Urgency in the gate: requests that free resources go first, then calls by their priority.
constexpr unsigned kReleases = kPriorityMax + 1;
constexpr std::size_t kParkedMax = 100'000;

// The services that the request needs mapped: forward and reverse; null where there is none.
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

// ===== in =====

void RequestDesk::on_batch(ClientIndex client, const RequestBatch& batch, TimePoint now) {
  if (context_.clients.has_left_over(client)) keep_repeated(client, batch);
  context_.connections.for_each_of(
      batch.releases,
      [](const ReleaseRequest& request) {
        return std::pair{request.connection, std::size_t{0}};
      },
      [&](const ReleaseRequest& request) { submit(client, request, kReleases, now); });
  for (const auto& request : batch.commits) submit(client, request, kPriorityMax, now);
  for (const auto& request : batch.modifies) submit(client, request, kPriorityMax, now);
  for (const auto& request : batch.leaves) {
    submit(client, request, request.drop ? kReleases : kPriorityMax, now);
  }
  for (const auto& request : batch.connects) {
    submit(client, request, std::min(request.priority, kPriorityMax), now);
  }
}

void RequestDesk::keep_repeated(ClientIndex client, const RequestBatch& batch) {
  const auto keep = [&](const auto& requests) {
    for (const auto& request : requests) {
      context_.clients.keep_repeated(client, request.request, digest_of(request));
    }
  };
  keep(batch.connects);
  keep(batch.releases);
  keep(batch.commits);
  keep(batch.modifies);
  keep(batch.leaves);
}

void RequestDesk::on_local(RequestId token, RequestBody request, TimePoint now) {
  std::visit(
      [&](auto& body) {
        body.request = token;
        submit(ClientDesk::kLocal, body, kPriorityMax, now);
      },
      request);
}

// A setup of an earlier epoch of this manager that the client repeats, because it has no outcome
// yet.
bool RequestDesk::answer_remembered(ClientIndex client, const ConnectRequest& request) {
  if (planted(Bug::kOutcomeNotRemembered)) return false;
  if (answer_incomplete(client, request)) return true;
  const auto made = context_.clients.remembered_request(client, request.request);
  const Connection* const connection = made ? context_.connections.find(*made) : nullptr;
  const bool same = connection != nullptr && connection->ends->from == request.from &&
                    connection->ends->to == request.to;
  if (!same) return false;
  const State state = connection->state();
  if (state != State::kConnected && state != State::kHeld) return false;
  Outcome outcome = connected_outcome(*connection);
  if (state == State::kHeld) {
    outcome = {};
    outcome.kind = OutcomeKind::kHeld;
    outcome.connection = connection->shown_id();
  }
  outcome.request = request.request;
  context_.clients.answer(client, std::move(outcome));
  return true;
}

// It has set up a call of which the manager does not know all hops: the repeat must not set up a
// second one. The answer is that of a full queue: it is final as any other, and a repeat after the
// client has confirmed it may get another one.
bool RequestDesk::answer_incomplete(ClientIndex client, const ConnectRequest& request) {
  const Recovery& recovery = context_.recovery;
  if (recovery.waiting() == 0 || client == ClientDesk::kLocal) return false;
  const ClientDesk& clients = context_.clients;
  const auto call =
      recovery.incomplete_of(clients.name(client), clients.epoch(client), request.request);
  if (!call) return false;
  const HopOwner& owner = call->hops.front().owner();
  if (owner.from != request.from) return false;
  context_.outcomes.turn_away(
      {client, request.request}, call->shown,
      {Cause::kBusy, call->element, 0, 0,
       fmt::format("connection {} of this request is incomplete: {}", call->shown, call->words())});
  return true;
}

template <class Body>
void RequestDesk::submit(ClientIndex client, const Body& request, unsigned urgency, TimePoint now) {
  const std::uint64_t digest = client == ClientDesk::kLocal ? 0 : digest_of(request);
  if (!context_.outcomes.admit(client, request.request, digest, connection_of(request))) return;
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    if (answer_remembered(client, request)) return;
  }
  Outcomes::Gate& gate = context_.outcomes.gate();
  context_.switches.queues().aggregation().on_operation(now);
  if (const auto named = check_ends(request); !named) {
    // Checked before the request can wait, because waiting requests keep their content.
    gate.started();
    context_.outcomes.refuse({client, request.request}, connection_of(request),
                             {Cause::kInvalidRequest, {}, 0, 0, named.error().text});
    return;
  }
  if constexpr (std::is_same_v<Body, ConnectRequest>) {
    const double most = context_.config.clients.setups_per_s_max;
    if (most > 0 && !context_.clients.may_set_up(client, most, now)) {
      ++context_.counters.over_client_limit;
      context_.outcomes.turn_away(
          {client, request, {now}},
          {Cause::kBusy, "setups a second of one client", 0, static_cast<std::uint64_t>(most),
           fmt::format("client-setups-per-s-max is {}", most)},
          std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / most)));
      return;
    }
  }
  if (gate.open() && gate.waiting() == 0) {
    gate.started();
    begin(client, request, {now}, now);
    return;
  }
  ++context_.counters.waited;
  if (const auto given_up = gate.push(urgency, client, Request{client, request, {now}}, now)) {
    context_.outcomes.turn_away(
        *given_up, {Cause::kBusy, "requests waiting", gate.waiting() + 1, gate.waiting()});
  }
}

void RequestDesk::pump(TimePoint now) {
  Outcomes::Gate& gate = context_.outcomes.gate();
  while (const auto late = gate.expired(now)) {
    context_.outcomes.turn_away(
        *late, {Cause::kBusy, "requests waiting", gate.waiting() + 1, gate.waiting()});
  }
  while (gate.open()) {
    auto next = gate.pop();
    if (!next) break;
    gate.started();
    std::visit([&](const auto& body) { begin(next->client, body, next->times, now); }, next->body);
  }
}

// ===== QOS mapping =====

template <class Body>
void RequestDesk::begin(ClientIndex client, const Body& body, RequestTimes times, TimePoint now) {
  const Config& config = context_.config;
  times.begun = now;
  const Asker asker{client, body.request};
  const Services services = services_of(body);
  std::array<NetworkService, 2> mapped;
  for (std::size_t i = 0; i < services.size(); ++i) {
    if (services[i] == nullptr) continue;
    if (config.remote_qos) {
      const auto known = config.qos_cache ? services_.find(*services[i], now) : std::nullopt;
      if (!known) {
        park(Request{client, body, times}, now);
        return;
      }
      mapped[i] = *known;
      continue;
    }
    const auto network = network_of(*services[i], *config.catalogue);
    if (!network) {
      context_.outcomes.refuse(asker, connection_of(body), network.error());
      return;
    }
    ++context_.counters.mapped_here;
    mapped[i] = *network;
  }
  calls_.act(asker, body, times,
             contract_of(services[0] != nullptr ? &mapped[0] : nullptr,
                         services[1] != nullptr ? &mapped[1] : nullptr),
             now);
}

void RequestDesk::park(Request request, TimePoint now) {
  if (parked_.size() >= kParkedMax) {
    context_.outcomes.refuse({request.client, request.id()}, request.connection(),
                             {Cause::kBusy, "qosmapper", parked_.size() + 1, kParkedMax});
    return;
  }
  Parked parked{std::move(request), {}, now + context_.config.route_timer};
  const Services services =
      std::visit([](const auto& body) { return services_of(body); }, parked.request.body);
  for (const ServiceSpec* const service : services) {
    if (service == nullptr) continue;
    parked.services.emplace_back(*service, std::nullopt);
    // Without a cache every request sends its own query.
    if (asked_services_.insert(*service).second || !context_.config.qos_cache) {
      services_to_ask_.push_back(*service);
    }
  }
  parked_.push_back(std::move(parked));
}

void RequestDesk::on_services(const std::vector<ServiceReply>& replies, TimePoint now) {
  for (const ServiceReply& reply : replies) on_service(reply, now);
}

void RequestDesk::on_service(const ServiceReply& reply, TimePoint now) {
  const bool cached = context_.config.qos_cache;
  asked_services_.erase(reply.service);
  if (reply.mapped && cached) services_.store(reply.service, *reply.mapped, now);
  std::deque<Parked> still;
  bool served = false;
  for (Parked& parked : std::exchange(parked_, {})) {
    bool waits = false;
    bool concerned = false;
    for (auto& [service, network] : parked.services) {
      const bool for_it = !network && service == reply.service && (cached || !served);
      concerned = concerned || for_it;
      if (for_it && reply.mapped) network = *reply.mapped;
      waits = waits || !network;
    }
    if (concerned) served = true;
    if (concerned && !reply.mapped) {
      context_.outcomes.refuse({parked.request.client, parked.request.id()},
                               parked.request.connection(), reply.mapped.error());
    } else if (waits) {
      still.push_back(std::move(parked));
    } else {
      begin_parked(parked, now);
    }
  }
  // Requests that were parked meanwhile follow.
  for (Parked& parked : parked_) still.push_back(std::move(parked));
  parked_ = std::move(still);
}

void RequestDesk::change_route_timer(Duration wanted) {
  for (Parked& parked : parked_) parked.deadline += wanted - context_.config.route_timer;
}

void RequestDesk::begin_parked(const Parked& parked, TimePoint now) {
  const auto& services = parked.services;
  const Contract contract =
      contract_of(&*services[0].second, services.size() > 1 ? &*services[1].second : nullptr);
  const Request& request = parked.request;
  std::visit(
      [&](const auto& body) {
        calls_.act({request.client, body.request}, body, request.times, contract, now);
      },
      request.body);
}

// ===== time =====

void RequestDesk::tick(TimePoint now) {
  while (!parked_.empty() && parked_.front().deadline <= now) {
    const Request late = std::move(parked_.front().request);
    for (const auto& [service, network] : parked_.front().services) asked_services_.erase(service);
    parked_.pop_front();
    context_.outcomes.refuse({late.client, late.id()}, late.connection(),
                             {Cause::kNoQosMapper, "qosmapper"});
  }
}

TimePoint RequestDesk::next_deadline() const {
  const TimePoint parked = parked_.empty() ? kNever : parked_.front().deadline;
  return std::min(context_.outcomes.gate().next_deadline(), parked);
}

void RequestDesk::flush() {
  if (services_to_ask_.empty()) return;
  context_.counters.service_queries += services_to_ask_.size();
  peers_.ask_services(std::exchange(services_to_ask_, {}));
}

}  // namespace xbind::cmgr
