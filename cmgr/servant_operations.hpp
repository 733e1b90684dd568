// The operators' interface of a ConnectionManager: converts the arguments, calls the logic and
// converts the result.
#pragma once

#include <utility>

#include "cmgr/daemon.hpp"
#include "cmgr/pool_keeper.hpp"
#include "connection_manager.hh"
#include "orb/supervised.hpp"

namespace xbind::cmgr {

class ManagerOperationsServant : public orb::Supervised<POA_xbind::v2::ManagerOperations> {
 public:
  // `daemon`, `options` and `pools` must outlive the servant. `call_timeout`: longer than all
  // timers of the logic together.
  ManagerOperationsServant(ManagerDaemon& daemon, CallTimeout call_timeout,
                           config::Reloadable& options, PoolKeeper& pools)
      : Supervised(daemon.dispatch(), daemon.supervision(), options),
        daemon_(daemon),
        options_(options),
        pools_(pools),
        call_timeout_(std::move(call_timeout)) {}

  void set_aggregation(const v2::Aggregation& settings) override;
  v2::Aggregation aggregation_now() override;
  v2::CacheStateSeq* caches() override;
  v2::ClientStateSeq* clients(const char* after, CORBA::ULong limit) override;
  void prepare(const char* from_end, const char* to_end, const v2::ServiceSpec& service,
               CORBA::ULong count) override;
  v2::Debt* clear(v2::ConnectionId connection) override;
  v2::AuditReport* audit_network() override;
  v2::AuditReport* repair_network(const v2::AuditFindingSeq& seen) override;
  v2::CallCheck* validate_call(v2::ConnectionId connection) override;
  v2::CallCheck* sync_call(v2::ConnectionId connection, const v2::HopFindingSeq& seen) override;
  v2::TracePart* spans_of(const char* manager, v2::ConnectionId connection) override;
  v2::TracedOperationSeq* traced_operations(CORBA::ULong limit) override;

 private:
  v2::CallCheck* check_of(ConnectionId connection);
  EventPage calls_after(const orb::EventPosition& from) override {
    return daemon_.calls_after(from.after, from.limit);
  }

  ManagerDaemon& daemon_;
  config::Reloadable& options_;
  PoolKeeper& pools_;
  CallTimeout call_timeout_;
};

}  // namespace xbind::cmgr
