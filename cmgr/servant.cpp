#include "cmgr/servant.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/caller.hpp"
#include "orb/convert.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kFindingsReported = 1'000;
constexpr CORBA::ULong kListMax = 10'000;
constexpr std::size_t kCachesPerKind = 2'000;
constexpr std::size_t kCacheKinds = 6;

v2::Outcome* to_new(const Outcome& outcome) {
  auto out = std::make_unique<v2::Outcome>();
  orb::to_idl(outcome, *out);
  return out.release();
}

// Bounds of what these take in CDR (orb/reply.hpp).
std::size_t octets_of(const v2::ConnectionState& state) {
  std::size_t octets = 160 + orb::cdr_string(state.phase) + orb::cdr_string(state.client) +
                       orb::cdr_string(state.from_end) + orb::cdr_string(state.to_end) +
                       orb::cdr_string(state.broken_element);
  for (CORBA::ULong i = 0; i < state.leaves.length(); ++i) {
    octets += orb::cdr_string(state.leaves[i]);
  }
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) {
    octets += 32 + orb::cdr_string(state.hops[i].switch_name);
  }
  return octets;
}
std::size_t octets_of(const CacheState& state) {
  return 56 + orb::cdr_string(state.element.size());
}
std::size_t octets_of(const Finding& finding) {
  return 24 + orb::cdr_string(finding.element.size()) + orb::cdr_string(finding.text.size());
}

// Of each kind the first ones, as many as fit if every kind has the same number at most.
std::vector<CacheState> within_reply(std::vector<CacheState> states) {
  for (std::size_t per_kind = kCachesPerKind;; per_kind = per_kind * 3 / 4) {
    std::array<std::size_t, kCacheKinds> seen{};
    std::erase_if(states, [&](const CacheState& state) {
      return ++seen[static_cast<std::size_t>(state.kind)] > per_kind;
    });
    std::size_t octets = 0;
    for (const CacheState& state : states) octets += octets_of(state);
    if (octets <= orb::kReplyOctetsMax) return states;
  }
}

void describe_into(const cmgr::ConnectionManager& manager, ConnectionId id,
                   v2::ConnectionState& out) {
  const auto found = manager.describe(id);
  if (!found) return;
  const Connection& connection = found->connection;
  out.connection = id.value();
  const bool prepared = connection.state == State::kConnected && !connection.asker;
  out.phase = prepared ? "prepared" : std::string{to_string(connection.state)}.c_str();
  out.generation = connection.generation;
  out.client = found->client.c_str();
  out.request = connection.asker ? connection.asker->request.value() : 0;
  out.from_end = connection.ends->from.c_str();
  out.to_end = connection.ends->to.c_str();
  out.resources = orb::to_idl(connection.demand_of_leg(0));
  out.reverse_resources = orb::to_idl(connection.demand_of_leg(1));
  out.reroutes = 0;
  out.broken = false;
  if (connection.extras) {
    out.reroutes = connection.extras->reroutes;
    // An element alone: its path is in doubt (core/unknown_switch.hpp).
    out.broken = connection.extras->broken.has_value() && !connection.extras->in_doubt;
    out.broken_element = connection.extras->broken.value_or("").c_str();
    if (connection.extras->first_end_dropped) out.to_end = "";
    const auto& leaves = connection.extras->leaves;
    out.leaves.length(static_cast<CORBA::ULong>(leaves.size()));
    for (CORBA::ULong i = 0; i < out.leaves.length(); ++i) out.leaves[i] = leaves[i].end.c_str();
  }
  out.hops.length(static_cast<CORBA::ULong>(connection.hops.size()));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    const Hop& hop = connection.hops[i];
    out.hops[i].leg = hop.leg;
    // Of a path that has changed, hops keep the numbers that they were set up with.
    const bool goes_on = hop.leg <= 1 && i > 0 && out.hops[i - 1].leg == hop.leg;
    out.hops[i].number = goes_on ? out.hops[i - 1].number + 1 : hop.leg <= 1 ? 0 : hop.number;
    out.hops[i].switch_name = manager.switch_name(hop.at).c_str();
    out.hops[i].input_port = hop.input_port.value();
    out.hops[i].input_label = orb::to_idl(hop.input_label);
    out.hops[i].output_port = hop.output_port.value();
    out.hops[i].output_label = orb::to_idl(hop.output_label);
  }
}

}  // namespace

void RequestInboxServant::submit_requests(v2::SessionId session, v2::BatchSeq seq,
                                          v2::BatchSeq confirmed, const v2::RequestBatch& batch) {
  session::Frame<RequestBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) {
    auto converted = orb::to_core(batch);
    if (!converted) {
      log::warn("client session {}: batch {} is not understood: {}; the session ends", session, seq,
                converted.error().text);
      daemon_.post([id = SessionId{session}](cmgr::ConnectionManager& manager) {
        manager.detach_client(id);
      });
      return;
    }
    frame.batch = std::make_shared<const RequestBatch>(std::move(*converted));
  }
  std::optional<std::size_t> items;
  if (frame.batch) {
    items = batch.connects.length() + batch.releases.length() + batch.modifies.length() +
            batch.leaves.length() + batch.commits.length();
  }
  daemon_.take(
      items, [id = SessionId{session}, frame = std::move(frame)](cmgr::ConnectionManager& manager) {
        manager.on_requests(id, frame, steady_now());
      });
}

void HopObserverServant::deliver_results(v2::SessionId session, v2::BatchSeq seq,
                                         v2::BatchSeq confirmed, const v2::HopResultBatch& batch) {
  session::Frame<HopResultBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) {
    auto converted = orb::to_core(batch);
    if (!converted) {
      daemon_.post([id = SessionId{session},
                    reason = converted.error().text](cmgr::ConnectionManager& manager) {
        manager.switch_lost(id, reason, steady_now());
      });
      return;
    }
    frame.batch = std::make_shared<const HopResultBatch>(std::move(*converted));
  }
  const auto items = frame.batch ? std::optional{frame.batch->results.size()} : std::nullopt;
  daemon_.take(
      items, [id = SessionId{session}, frame = std::move(frame)](cmgr::ConnectionManager& manager) {
        manager.on_results(id, frame, steady_now());
      });
}

void TopologyObserverServant::topology_changed(const v2::TopologyState& state) {
  daemon_.post([state = cmgr::RemotePeers::topology_from(state)](cmgr::ConnectionManager& manager) {
    manager.on_topology(state);
  });
}

v2::ClientAttachment* ConnectionManagerServant::attach_client(const char* client,
                                                              v2::Epoch client_epoch,
                                                              CORBA::ULong version,
                                                              v2::OutcomeObserver_ptr observer) {
  orb::check_version(version);
  if (CORBA::is_nil(observer)) throw v2::BadRequest("attach needs an observer");
  const auto attachment = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    auto attached = manager.attach_client(client, Epoch{client_epoch}, steady_now());
    if (attached) daemon_.peers().know_client(attached->session, observer);
    return attached;
  });
  if (!attachment) orb::raise(attachment.error(), Epoch{client_epoch});
  auto out = std::make_unique<v2::ClientAttachment>();
  out->session = attachment->session.value();
  out->inbox = v2::RequestInbox::_duplicate(inbox_);
  out->batches_in_flight = attachment->batches_in_flight;
  return out.release();
}

void ConnectionManagerServant::detach_client(v2::SessionId session) {
  daemon_.ask([&](cmgr::ConnectionManager& manager) {
    manager.detach_client(SessionId{session});
    return true;
  });
}

v2::Outcome* ConnectionManagerServant::ask_for(RequestBody request, RequestId number) {
  const bool setup = std::holds_alternative<ConnectRequest>(request);
  const auto outcome = daemon_.call(
      [&request](cmgr::ConnectionManager& manager, RequestId token) {
        manager.request_local(token, std::move(request), steady_now());
      },
      call_timeout_, number);
  if (!outcome) orb::raise(outcome.error());
  // Without a number nobody could find it again.
  if (setup && number == RequestId{} && outcome->connection != ConnectionId{} &&
      orb::caller_has_gone()) {
    daemon_.release_unclaimed(outcome->connection);
  }
  return to_new(*outcome);
}

v2::Outcome* ConnectionManagerServant::connect(const char* from_end, const char* to_end,
                                               const v2::ServiceSpec& service) {
  return ask_for(ConnectRequest{{}, from_end, to_end, orb::to_core(service)});
}

v2::Outcome* ConnectionManagerServant::connect_as(const v2::ConnectRequest& request) {
  auto converted = orb::to_core(request);
  if (!converted) {
    // An outcome like any other: the request is at fault, not the manager.
    Outcome refused;
    refused.kind = OutcomeKind::kRefused;
    refused.cause = Cause::kInvalidRequest;
    refused.element = converted.error().text;
    return to_new(refused);
  }
  return ask_for(std::move(*converted), RequestId{request.request});
}

v2::Outcome* ConnectionManagerServant::commit(v2::ConnectionId connection) {
  return ask_for(CommitRequest{{}, ConnectionId{connection}});
}

v2::Outcome* ConnectionManagerServant::modify(v2::ConnectionId connection,
                                              const v2::ServiceSpec& service,
                                              const v2::OptionalServiceSpec& reverse) {
  return ask_for(
      ModifyRequest{{}, ConnectionId{connection}, orb::to_core(service), orb::to_core(reverse)});
}

v2::Outcome* ConnectionManagerServant::add_leaf(v2::ConnectionId connection, const char* leaf_end) {
  return ask_for(LeafRequest{{}, ConnectionId{connection}, leaf_end, false});
}

v2::Outcome* ConnectionManagerServant::drop_leaf(v2::ConnectionId connection,
                                                 const char* leaf_end) {
  return ask_for(LeafRequest{{}, ConnectionId{connection}, leaf_end, true});
}

v2::Outcome* ConnectionManagerServant::release(v2::ConnectionId connection) {
  return ask_for(ReleaseRequest{{}, ConnectionId{connection}});
}

v2::OutcomeSeq* ConnectionManagerServant::outcome_of(const char* client, v2::RequestId request) {
  const auto outcome = client == kTwoWayClient
                           ? daemon_.outcome_of_call(RequestId{request})
                           : daemon_.ask([&](cmgr::ConnectionManager& manager) {
                               return manager.outcome_of(client, RequestId{request});
                             });
  auto out = std::make_unique<v2::OutcomeSeq>();
  if (outcome) {
    out->length(1);
    orb::to_idl(*outcome, (*out)[0]);
  }
  return out.release();
}

// ===== for operators =====

void ConnectionManagerServant::set_aggregation(const v2::Aggregation& settings) {
  if (settings.aggregation_mode > static_cast<CORBA::Octet>(AggregationMode::kAdaptive)) {
    throw v2::BadRequest(
        fmt::format("aggregation mode {} is none of 0..2", settings.aggregation_mode).c_str());
  }
  if (!(settings.flush_timeout_ms >= 0.05 && settings.flush_timeout_ms <= 10'000)) {
    throw v2::BadRequest(
        fmt::format("flush timeout {} ms is not in 0.05..10000", settings.flush_timeout_ms)
            .c_str());
  }
  const auto set = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    Aggregation wanted = manager.aggregation().settings();
    wanted.mode = static_cast<AggregationMode>(settings.aggregation_mode);
    if (wanted.mode == AggregationMode::kFixed) wanted.threshold = settings.threshold;
    wanted.flush_timeout =
        std::chrono::nanoseconds(static_cast<std::int64_t>(settings.flush_timeout_ms * 1e6));
    return manager.set_aggregation(wanted, steady_now());
  });
  if (!set) orb::raise(set.error());
}

v2::Aggregation ConnectionManagerServant::aggregation_now() {
  return daemon_.ask([](cmgr::ConnectionManager& manager) {
    const AggregationPolicy& policy = manager.aggregation();
    v2::Aggregation out;
    out.aggregation_mode = static_cast<CORBA::Octet>(policy.settings().mode);
    out.threshold = static_cast<CORBA::ULong>(policy.threshold());
    out.flush_timeout_ms =
        std::chrono::duration<double, std::milli>(policy.settings().flush_timeout).count();
    return out;
  });
}

v2::CacheStateSeq* ConnectionManagerServant::caches() {
  const auto states = within_reply(daemon_.ask([](cmgr::ConnectionManager& manager) {
    return manager.caches(kCachesPerKind, steady_now());
  }));
  auto out = std::make_unique<v2::CacheStateSeq>();
  out->length(static_cast<CORBA::ULong>(states.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const CacheState& state = states[i];
    (*out)[i].cache_kind = static_cast<CORBA::Octet>(state.kind);
    (*out)[i].element = state.element.c_str();
    (*out)[i].hits = state.hits;
    (*out)[i].misses = state.misses;
    (*out)[i].size = state.size;
    (*out)[i].wanted = state.wanted;
    (*out)[i].age_ms = state.age_ms;
  }
  return out.release();
}

void ConnectionManagerServant::prepare(const char* from_end, const char* to_end,
                                       const v2::ServiceSpec& service, CORBA::ULong count) {
  // None is kept ready between ends that are not there, or that nothing joins now. A pool that is
  // there stays when its path goes, and fills itself when there is one again.
  if (count != 0) {
    if (const auto joined = daemon_.peers().check_path(from_end, to_end); !joined) {
      orb::raise(joined.error());
    }
  }
  const auto prepared = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    return manager.prepare(from_end, to_end, orb::to_core(service), count, steady_now());
  });
  if (!prepared) orb::raise(prepared.error());
}

v2::ConnectionState* ConnectionManagerServant::describe(v2::ConnectionId connection) {
  auto out = std::make_unique<v2::ConnectionState>();
  const bool found = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    if (!manager.describe(ConnectionId{connection})) return false;
    describe_into(manager, ConnectionId{connection}, *out);
    return true;
  });
  if (!found) throw v2::UnknownConnection(connection);
  return out.release();
}

v2::ConnectionStateSeq* ConnectionManagerServant::list(v2::ConnectionId after, CORBA::ULong limit) {
  if (limit == 0 || limit > kListMax) {
    throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kListMax).c_str());
  }
  auto out = std::make_unique<v2::ConnectionStateSeq>();
  daemon_.ask([&](cmgr::ConnectionManager& manager) {
    const auto ids = manager.list(ConnectionId{after}, limit);
    orb::ReplyRoom room;
    out->length(static_cast<CORBA::ULong>(ids.size()));
    for (CORBA::ULong i = 0; i < out->length(); ++i) {
      describe_into(manager, ids[i], (*out)[i]);
      // One always goes (connection_manager_leaves.cpp bounds it), so that a caller gets on.
      if (room.take(octets_of((*out)[i])) || i == 0) continue;
      out->length(i);
    }
    return true;
  });
  return out.release();
}

v2::AuditReport* ConnectionManagerServant::audit_network() {
  const AuditSummary summary = daemon_.audit();
  auto out = std::make_unique<v2::AuditReport>();
  const AuditTotals totals = totals_of(summary.findings);
  out->clean = totals.clean;
  out->stray_cross_connects = static_cast<CORBA::ULong>(totals.stray_cross_connects);
  out->leaked_labels = static_cast<CORBA::ULong>(totals.leaked_labels);
  out->leaked_bandwidth_cells_per_s = totals.leaked_bandwidth_cells_per_s;
  out->owed = static_cast<CORBA::ULong>(totals.owed);
  out->unreadable = static_cast<CORBA::ULong>(totals.unreadable);
  out->switches = static_cast<CORBA::ULong>(summary.switches);
  out->connections = summary.connections;
  orb::ReplyRoom room;
  std::size_t reported = 0;
  while (reported < std::min(summary.findings.size(), kFindingsReported) &&
         room.take(octets_of(summary.findings[reported]))) {
    ++reported;
  }
  orb::to_idl(
      {summary.findings.begin(), summary.findings.begin() + static_cast<std::ptrdiff_t>(reported)},
      out->findings);
  return out.release();
}

v2::MetricSeq* ConnectionManagerServant::status() { return orb::to_metrics(daemon_.metrics()); }

}  // namespace xbind::cmgr
