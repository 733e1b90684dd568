// The CORBA servants of a ConnectionManager: each converts the arguments, calls the logic and
// converts the result.
#pragma once

#include <utility>

#include "cmgr/daemon.hpp"
#include "connection_manager.hh"
#include "orb/dispatch.hpp"
#include "switch_server.hh"

namespace xbind::cmgr {

// Receives batches of requests from clients, on a separate endpoint.
class RequestInboxServant : public orb::Dispatched<POA_xbind::v2::RequestInbox> {
 public:
  explicit RequestInboxServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void submit_requests(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::RequestBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// Receives batches of results from SwitchServers.
class HopObserverServant : public orb::Dispatched<POA_xbind::v2::HopObserver> {
 public:
  explicit HopObserverServant(ManagerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void manager_session_ended(v2::SessionId session, v2::SessionEnd why,
                             const char* reason) override;
  void deliver_results(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                       const v2::HopResultBatch& batch) override;

 private:
  ManagerDaemon& daemon_;
};

// Receives the unusable elements of the network from RouteObject.
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
  // `call_timeout`: for connect and release; longer than all timers of the logic together.
  ConnectionManagerServant(ManagerDaemon& daemon, v2::RequestInbox_ptr inbox,
                           v2::ManagerOperations_ptr operations, CallTimeout call_timeout)
      : Dispatched(daemon.dispatch()),
        daemon_(daemon),
        inbox_(v2::RequestInbox::_duplicate(inbox)),
        operations_(v2::ManagerOperations::_duplicate(operations)),
        call_timeout_(std::move(call_timeout)) {}

  v2::Epoch new_client_epoch(const char* client) override;
  v2::ClientAttachment* attach_client(const char* client, v2::Epoch client_epoch,
                                      CORBA::ULong version,
                                      v2::OutcomeObserver_ptr observer) override;
  void detach_client(v2::SessionId session) override;
  v2::NewConnection* connect(const char* from_end, const char* to_end,
                             const v2::ServiceSpec& service) override;
  v2::NewConnection* connect_as(const v2::ConnectRequest& request) override;
  v2::NewConnection* commit(v2::ConnectionId connection) override;
  void modify(v2::ConnectionId connection, const v2::ServiceSpec& service,
              const v2::OptionalServiceSpec& reverse) override;
  v2::LabelValue add_leaf(v2::ConnectionId connection, const char* leaf_end) override;
  v2::Debt* drop_leaf(v2::ConnectionId connection, const char* leaf_end) override;
  v2::Debt* release(v2::ConnectionId connection) override;
  v2::Outcome* outcome_of(const char* client, v2::RequestId request) override;
  v2::ConnectionState* describe(v2::ConnectionId connection) override;
  v2::ConnectionStateSeq* list_connections(v2::ConnectionId after, CORBA::ULong limit) override;
  v2::ManagerOperations_ptr manager_operations() override;
  v2::MetricSeq* status() override;

 private:
  // Waits for the outcome of one request; throws Refused if it is refused or busy. `number`: the
  // caller's request number; 0: none.
  Outcome ask_for(RequestBody request, RequestId number = {});
  v2::NewConnection* set_up(RequestBody request, RequestId number = {});
  v2::Debt* take_down(RequestBody request);

  ManagerDaemon& daemon_;
  v2::RequestInbox_var inbox_;
  v2::ManagerOperations_var operations_;
  CallTimeout call_timeout_;
};

}  // namespace xbind::cmgr
