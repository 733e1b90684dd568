// The CORBA faces of a ConnectionManager: convert, call, convert.
#pragma once

#include "cmgr/daemon.hpp"
#include "connection_manager.hh"
#include "orb/dispatch.hpp"
#include "switch_server.hh"

namespace xbind::cmgr {

// Batches of requests from clients, on an endpoint of its own.
class RequestInboxServant : public orb::Dispatched<POA_xbind::v1::RequestInbox> {
 public:
  explicit RequestInboxServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void submit(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
              const v1::RequestBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// Batches of results from SwitchServers.
class HopObserverServant : public orb::Dispatched<POA_xbind::v1::HopObserver> {
 public:
  explicit HopObserverServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void completed(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
                 const v1::HopResultBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// What is unusable in the network, from RouteObject.
class TopologyObserverServant : public orb::Dispatched<POA_xbind::v1::TopologyObserver> {
 public:
  explicit TopologyObserverServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void changed(const v1::TopologyState& state) override;

 private:
  ManagerDaemon& daemon_;
};

class ConnectionManagerServant : public orb::Dispatched<POA_xbind::v1::ConnectionManager> {
 public:
  // `call_timeout`: of connect and release; longer than every timer of the logic together.
  ConnectionManagerServant(ManagerDaemon& daemon, v1::RequestInbox_ptr inbox, Duration call_timeout)
      : Dispatched(daemon.dispatch()),
        daemon_(daemon),
        inbox_(v1::RequestInbox::_duplicate(inbox)),
        call_timeout_(call_timeout) {}

  v1::ClientAttachment* attach(const char* client, v1::Epoch client_epoch, CORBA::ULong version,
                               v1::OutcomeObserver_ptr observer) override;
  void detach(v1::SessionId session) override;
  v1::Outcome* connect(const char* from_end, const char* to_end,
                       const v1::ServiceSpec& service) override;
  v1::Outcome* connect_as(const v1::ConnectRequest& request) override;
  v1::Outcome* commit(v1::ConnectionId connection) override;
  v1::Outcome* modify(v1::ConnectionId connection, const v1::ServiceSpec& service,
                      const v1::OptionalServiceSpec& reverse) override;
  v1::Outcome* add_leaf(v1::ConnectionId connection, const char* leaf_end) override;
  v1::Outcome* drop_leaf(v1::ConnectionId connection, const char* leaf_end) override;
  v1::OutcomeSeq* outcome_of(const char* client, v1::RequestId request) override;
  void set_aggregation(const v1::Aggregation& settings) override;
  v1::Aggregation aggregation_now() override;
  v1::CacheStateSeq* caches() override;
  void prepare(const char* from_end, const char* to_end, const v1::ServiceSpec& service,
               CORBA::ULong count) override;
  v1::Outcome* release(v1::ConnectionId connection) override;
  v1::ConnectionState* describe(v1::ConnectionId connection) override;
  v1::ConnectionStateSeq* list(v1::ConnectionId after, CORBA::ULong limit) override;
  v1::AuditReport* audit() override;
  v1::MetricSeq* status() override;

 private:
  // Waits for the outcome of one request.
  // `number`: the caller's own, or none.
  v1::Outcome* ask_for(RequestBody request, RequestId number = {});

  ManagerDaemon& daemon_;
  v1::RequestInbox_var inbox_;
  Duration call_timeout_;
};

}  // namespace xbind::cmgr
