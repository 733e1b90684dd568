#include "cmgr/servant.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "cmgr/servant_values.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "orb/caller.hpp"
#include "orb/convert.hpp"
#include "orb/oneway.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"

namespace xbind::cmgr {
namespace {

constexpr CORBA::ULong kListMax = 10'000;

}  // namespace

void RequestInboxServant::submit_requests(v2::SessionId session, v2::BatchSeq seq,
                                          v2::BatchSeq confirmed, const v2::RequestBatch& batch) {
  session::Frame<RequestBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) frame.batch = std::make_shared<const RequestBatch>(orb::to_core(batch));
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
  if (session == 0) return;  // it opens the connection
  session::Frame<HopResultBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) {
    auto converted = orb::to_core(batch);
    if (!converted) {
      orb::note_callers_fault(
          orb::PeerFault::kUndecodable,
          fmt::format("session {}, batch {}: {}", session, seq, converted.error().text));
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

void HopObserverServant::manager_session_ended(v2::SessionId session, v2::SessionEnd why,
                                               const char* reason) {
  const std::string text = fmt::format("the SwitchServer has ended it ({}): {}",
                                       to_string(static_cast<SessionEnd>(why)), printable(reason));
  daemon_.post([id = SessionId{session}, text](cmgr::ConnectionManager& manager) {
    manager.switch_lost(id, text, steady_now());
  });
}

void TopologyObserverServant::topology_changed(const v2::TopologyState& state) {
  daemon_.peers().take_topology_notice(state);
}

v2::Epoch ConnectionManagerServant::new_client_epoch(const char* client) {
  const auto epoch = daemon_.ask(
      [&](cmgr::ConnectionManager& manager) { return manager.new_client_epoch(client); });
  if (!epoch) orb::raise(epoch.error());
  return epoch->value();
}

v2::ClientAttachment* ConnectionManagerServant::attach_client(const char* client,
                                                              v2::Epoch client_epoch,
                                                              CORBA::ULong version,
                                                              v2::OutcomeObserver_ptr observer) {
  orb::check_version(version);
  if (CORBA::is_nil(observer)) throw v2::BadRequest("attach needs an observer");
  if (const auto named = check_name("client", client); !named) orb::raise(named.error());
  // On this thread, which waits for this client alone.
  const auto opened = orb::open_for_oneways("the observer", observer, [&] {
    observer->deliver_outcomes(0, 0, 0, v2::OutcomeSeq{}, v2::NoticeSeq{});
  });
  if (!opened) throw v2::Unavailable(opened.error().text.c_str());
  const auto attachment = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    auto attached = manager.attach_client(client, Epoch{client_epoch}, steady_now());
    if (attached) daemon_.peers().register_client(attached->session, observer);
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

Outcome ConnectionManagerServant::ask_for(RequestBody request, RequestId number) {
  const bool setup = std::holds_alternative<ConnectRequest>(request);
  auto outcome = daemon_.call(std::move(request), call_timeout_(), number);
  if (!outcome) orb::raise(outcome.error());
  // Without a number the caller cannot query the outcome later.
  if (setup && number == RequestId{} && outcome->connection != ConnectionId{} &&
      orb::caller_disconnected()) {
    daemon_.release_unclaimed(outcome->connection);
  }
  if (outcome->cause != Cause::kNone) throw v2::Refused(orb::refusal_of(*outcome));
  return *std::move(outcome);
}

v2::NewConnection* ConnectionManagerServant::set_up(RequestBody request, RequestId number) {
  const Outcome outcome = ask_for(std::move(request), number);
  auto out = std::make_unique<v2::NewConnection>();
  out->connection = outcome.connection.value();
  out->held = outcome.kind == OutcomeKind::kHeld;
  out->labels = orb::labels_of(outcome);
  return out.release();
}

v2::Debt* ConnectionManagerServant::take_down(RequestBody request) {
  return new v2::Debt(orb::to_idl(ask_for(std::move(request)).owed));
}

v2::NewConnection* ConnectionManagerServant::connect(const char* from_end, const char* to_end,
                                                     const v2::ServiceSpec& service) {
  return set_up(ConnectRequest{{}, from_end, to_end, orb::to_core(service)});
}

v2::NewConnection* ConnectionManagerServant::connect_as(const v2::ConnectRequest& request) {
  return set_up(orb::to_core(request), RequestId{request.request});
}

v2::NewConnection* ConnectionManagerServant::commit(v2::ConnectionId connection) {
  return set_up(CommitRequest{{}, ConnectionId{connection}});
}

void ConnectionManagerServant::modify(v2::ConnectionId connection, const v2::ServiceSpec& service,
                                      const v2::OptionalServiceSpec& reverse) {
  ask_for(
      ModifyRequest{{}, ConnectionId{connection}, orb::to_core(service), orb::to_core(reverse)});
}

v2::LabelValue ConnectionManagerServant::add_leaf(v2::ConnectionId connection,
                                                  const char* leaf_end) {
  return orb::to_idl(ask_for(LeafRequest{{}, ConnectionId{connection}, leaf_end, false}).egress);
}

v2::Debt* ConnectionManagerServant::drop_leaf(v2::ConnectionId connection, const char* leaf_end) {
  return take_down(LeafRequest{{}, ConnectionId{connection}, leaf_end, true});
}

v2::Debt* ConnectionManagerServant::release(v2::ConnectionId connection) {
  return take_down(ReleaseRequest{{}, ConnectionId{connection}});
}

v2::Outcome* ConnectionManagerServant::outcome_of(const char* client, v2::RequestId request) {
  const auto outcome = client == kTwoWayClient
                           ? daemon_.outcome_of_call(RequestId{request})
                           : daemon_.ask([&](cmgr::ConnectionManager& manager) {
                               return manager.outcome_of(client, RequestId{request});
                             });
  if (!outcome) throw v2::UnknownRequest(printable(client).c_str(), request);
  auto out = std::make_unique<v2::Outcome>();
  orb::to_idl(*outcome, *out);
  return out.release();
}

v2::ConnectionState* ConnectionManagerServant::describe(v2::ConnectionId connection) {
  auto out = std::make_unique<v2::ConnectionState>();
  const bool found = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    return describe_into(manager, ConnectionId{connection}, *out);
  });
  if (!found) throw v2::UnknownConnection(connection);
  return out.release();
}

v2::ConnectionStateSeq* ConnectionManagerServant::list_connections(v2::ConnectionId after,
                                                                   CORBA::ULong limit) {
  if (limit == 0 || limit > kListMax) {
    throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kListMax).c_str());
  }
  auto out = std::make_unique<v2::ConnectionStateSeq>();
  daemon_.ask([&](cmgr::ConnectionManager& manager) {
    const auto ids = manager.list_all(ConnectionId{after}, limit);
    orb::ReplyRoom room;
    out->length(static_cast<CORBA::ULong>(ids.size()));
    CORBA::ULong listed = 0;
    for (const ConnectionId id : ids) {
      // Two calls that ledgers show under one id may leave an id that finds neither.
      if (!describe_into(manager, id, (*out)[listed])) continue;
      // At least one is returned (call_requests.cpp bounds its size), so that the caller makes
      // progress.
      if (!room.take(orb::octets_of((*out)[listed])) && listed != 0) break;
      ++listed;
    }
    out->length(listed);
    return true;
  });
  return out.release();
}

v2::ManagerOperations_ptr ConnectionManagerServant::manager_operations() {
  return v2::ManagerOperations::_duplicate(operations_);
}

v2::MetricSeq* ConnectionManagerServant::status() { return orb::to_metrics(daemon_.metrics()); }

}  // namespace xbind::cmgr
