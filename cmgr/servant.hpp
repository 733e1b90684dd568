// The CORBA faces of a ConnectionManager: convert, call, convert.
#pragma once

#include "cmgr/daemon.hpp"
#include "connection_manager.hh"
#include "orb/dispatch.hpp"
#include "switch_server.hh"

namespace xbind::cmgr {

// Batches of requests from clients, on an endpoint of its own.
class RequestInboxServant : public orb::Dispatched<POA_xbind::v2::RequestInbox> {
 public:
  explicit RequestInboxServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void submit_requests(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::RequestBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// Batches of results from SwitchServers.
class HopObserverServant : public orb::Dispatched<POA_xbind::v2::HopObserver> {
 public:
  explicit HopObserverServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void deliver_results(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::HopResultBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// What is unusable in the network, from RouteObject.
class TopologyObserverServant : public orb::Dispatched<POA_xbind::v2::TopologyObserver> {
 public:
  explicit TopologyObserverServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void topology_changed(const v2::TopologyState& state) override;

 private:
  ManagerDaemon& daemon_;
};

class ConnectionManagerServant : public orb::Dispatched<POA_xbind::v2::ConnectionManager> {
 public:
  // `call_timeout`: of connect and release; longer than every timer of the logic together.
  ConnectionManagerServant(ManagerDaemon& daemon, v2::RequestInbox_ptr inbox, Duration call_timeout)
      : Dispatched(daemon.dispatch()),
        daemon_(daemon),
        inbox_(v2::RequestInbox::_duplicate(inbox)),
        call_timeout_(call_timeout) {}

  v2::ClientAttachment* attach_client(const char* client, v2::Epoch client_epoch,
                                      CORBA::ULong version,
                                      v2::OutcomeObserver_ptr observer) override;
  void detach_client(v2::SessionId session) override;
  v2::Outcome* connect(const char* from_end, const char* to_end,
                       const v2::ServiceSpec& service) override;
  v2::Outcome* connect_as(const v2::ConnectRequest& request) override;
  v2::Outcome* commit(v2::ConnectionId connection) override;
  v2::Outcome* modify(v2::ConnectionId connection, const v2::ServiceSpec& service,
                      const v2::OptionalServiceSpec& reverse) override;
  v2::Outcome* add_leaf(v2::ConnectionId connection, const char* leaf_end) override;
  v2::Outcome* drop_leaf(v2::ConnectionId connection, const char* leaf_end) override;
  v2::OutcomeSeq* outcome_of(const char* client, v2::RequestId request) override;
  void set_aggregation(const v2::Aggregation& settings) override;
  v2::Aggregation aggregation_now() override;
  v2::CacheStateSeq* caches() override;
  void prepare(const char* from_end, const char* to_end, const v2::ServiceSpec& service,
               CORBA::ULong count) override;
  v2::Outcome* release(v2::ConnectionId connection) override;
  v2::ConnectionState* describe(v2::ConnectionId connection) override;
  v2::ConnectionStateSeq* list(v2::ConnectionId after, CORBA::ULong limit) override;
  v2::AuditReport* audit_network() override;
  v2::MetricSeq* status() override;

 private:
  // Waits for the outcome of one request.
  // `number`: the caller's own, or none.
  v2::Outcome* ask_for(RequestBody request, RequestId number = {});

  ManagerDaemon& daemon_;
  v2::RequestInbox_var inbox_;
  Duration call_timeout_;
};

}  // namespace xbind::cmgr
