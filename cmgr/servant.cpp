#include "cmgr/servant.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/convert.hpp"
#include "orb/raise.hpp"

namespace xbind::cmgr {
namespace {

constexpr std::size_t kFindingsReported = 1'000;
constexpr CORBA::ULong kListMax = 10'000;

v1::Outcome* to_new(const Outcome& outcome) {
  auto out = std::make_unique<v1::Outcome>();
  orb::to_idl(outcome, *out);
  return out.release();
}

void describe_into(const cmgr::ConnectionManager& manager, ConnectionId id,
                   v1::ConnectionState& out) {
  const auto found = manager.describe(id);
  if (!found) return;
  const Connection& connection = found->connection;
  out.connection = id.value();
  out.phase = std::string{to_string(connection.state)}.c_str();
  out.generation = connection.generation.value();
  out.client = found->client.c_str();
  out.request = connection.request.value();
  out.from_end = connection.ends->from.c_str();
  out.to_end = connection.ends->to.c_str();
  out.resources = orb::to_idl(connection.demand);
  out.hops.length(static_cast<CORBA::ULong>(connection.hops.size()));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    const Hop& hop = connection.hops[i];
    out.hops[i].switch_name = manager.switch_name(hop.at).c_str();
    out.hops[i].input_port = hop.input_port.value();
    out.hops[i].input_label = orb::to_idl(hop.input_label);
    out.hops[i].output_port = hop.output_port.value();
    out.hops[i].output_label = orb::to_idl(hop.output_label);
  }
}

}  // namespace

void RequestInboxServant::submit(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
                                 const v1::RequestBatch& batch) {
  session::Frame<RequestBatch> frame{BatchSeq{seq}, BatchSeq{confirmed}, nullptr};
  if (seq != 0) frame.batch = std::make_shared<const RequestBatch>(orb::to_core(batch));
  daemon_.post(
      [id = SessionId{session}, frame = std::move(frame)](cmgr::ConnectionManager& manager) {
        manager.on_requests(id, frame, steady_now());
      });
}

void HopObserverServant::completed(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
                                   const v1::HopResultBatch& batch) {
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
  daemon_.post(
      [id = SessionId{session}, frame = std::move(frame)](cmgr::ConnectionManager& manager) {
        manager.on_results(id, frame, steady_now());
      });
}

v1::ClientAttachment* ConnectionManagerServant::attach(const char* client, v1::Epoch client_epoch,
                                                       CORBA::ULong version,
                                                       v1::OutcomeObserver_ptr observer) {
  orb::check_version(version);
  if (CORBA::is_nil(observer)) throw v1::BadRequest("attach needs an observer");
  const auto attachment = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    auto attached = manager.attach_client(client, Epoch{client_epoch}, steady_now());
    if (attached) daemon_.peers().know_client(attached->session, observer);
    return attached;
  });
  if (!attachment) orb::raise(attachment.error(), Epoch{client_epoch});
  auto out = std::make_unique<v1::ClientAttachment>();
  out->session = attachment->session.value();
  out->inbox = v1::RequestInbox::_duplicate(inbox_);
  out->batches_in_flight = attachment->batches_in_flight;
  return out.release();
}

void ConnectionManagerServant::detach(v1::SessionId session) {
  daemon_.ask([&](cmgr::ConnectionManager& manager) {
    manager.detach_client(SessionId{session});
    daemon_.peers().forget_client(SessionId{session});
    return true;
  });
}

v1::Outcome* ConnectionManagerServant::connect(const char* from_end, const char* to_end,
                                               const v1::ServiceSpec& service) {
  const std::string from = from_end;
  const std::string to = to_end;
  const auto outcome = daemon_.call(
      [=, spec = orb::to_core(service)](cmgr::ConnectionManager& manager, RequestId token) {
        manager.connect_local(token, from, to, spec, steady_now());
      },
      call_timeout_);
  if (!outcome) orb::raise(outcome.error());
  return to_new(*outcome);
}

v1::Outcome* ConnectionManagerServant::release(v1::ConnectionId connection) {
  const auto outcome = daemon_.call(
      [=](cmgr::ConnectionManager& manager, RequestId token) {
        manager.release_local(token, ConnectionId{connection}, steady_now());
      },
      call_timeout_);
  if (!outcome) orb::raise(outcome.error());
  return to_new(*outcome);
}

v1::ConnectionState* ConnectionManagerServant::describe(v1::ConnectionId connection) {
  auto out = std::make_unique<v1::ConnectionState>();
  const bool found = daemon_.ask([&](cmgr::ConnectionManager& manager) {
    if (!manager.describe(ConnectionId{connection})) return false;
    describe_into(manager, ConnectionId{connection}, *out);
    return true;
  });
  if (!found) throw v1::UnknownConnection(connection);
  return out.release();
}

v1::ConnectionStateSeq* ConnectionManagerServant::list(v1::ConnectionId after, CORBA::ULong limit) {
  if (limit == 0 || limit > kListMax) {
    throw v1::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kListMax).c_str());
  }
  auto out = std::make_unique<v1::ConnectionStateSeq>();
  daemon_.ask([&](cmgr::ConnectionManager& manager) {
    const auto ids = manager.list(ConnectionId{after}, limit);
    out->length(static_cast<CORBA::ULong>(ids.size()));
    for (CORBA::ULong i = 0; i < out->length(); ++i) describe_into(manager, ids[i], (*out)[i]);
    return true;
  });
  return out.release();
}

v1::AuditReport* ConnectionManagerServant::audit() {
  const AuditSummary summary = daemon_.audit();
  auto out = std::make_unique<v1::AuditReport>();
  const AuditTotals totals = totals_of(summary.findings);
  out->clean = totals.clean;
  out->stray_cross_connects = static_cast<CORBA::ULong>(totals.stray_cross_connects);
  out->leaked_labels = static_cast<CORBA::ULong>(totals.leaked_labels);
  out->leaked_bandwidth_cells_per_s = totals.leaked_bandwidth_cells_per_s;
  out->owed = static_cast<CORBA::ULong>(totals.owed);
  out->unreadable = static_cast<CORBA::ULong>(totals.unreadable);
  out->switches = static_cast<CORBA::ULong>(summary.switches);
  out->connections = summary.connections;
  const std::size_t reported = std::min(summary.findings.size(), kFindingsReported);
  orb::to_idl(
      {summary.findings.begin(), summary.findings.begin() + static_cast<std::ptrdiff_t>(reported)},
      out->findings);
  return out.release();
}

v1::MetricSeq* ConnectionManagerServant::status() { return orb::to_metrics(daemon_.metrics()); }

}  // namespace xbind::cmgr
