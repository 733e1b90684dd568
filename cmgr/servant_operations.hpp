// The operators' interface of a ConnectionManager: converts the arguments, calls the logic and
// converts the result.
#pragma once

#include <utility>

#include "cmgr/daemon.hpp"
#include "connection_manager.hh"
#include "core/config/reload.hpp"
#include "orb/dispatch.hpp"

namespace xbind::cmgr {

class ManagerOperationsServant : public orb::Dispatched<POA_xbind::v2::ManagerOperations> {
 public:
  // `daemon` and `options` must outlive the servant. `call_timeout`: longer than all timers of the
  // logic together.
  ManagerOperationsServant(ManagerDaemon& daemon, CallTimeout call_timeout,
                           config::Reloadable& options)
      : Dispatched(daemon.dispatch()),
        daemon_(daemon),
        call_timeout_(std::move(call_timeout)),
        options_(options) {}

  void set_aggregation(const v2::Aggregation& settings) override;
  v2::Aggregation aggregation_now() override;
  v2::CacheStateSeq* caches() override;
  v2::ClientStateSeq* clients(const char* after, CORBA::ULong limit) override;
  void prepare(const char* from_end, const char* to_end, const v2::ServiceSpec& service,
               CORBA::ULong count) override;
  v2::Debt* clear(v2::ConnectionId connection) override;
  v2::AuditReport* audit_network() override;
  v2::AuditReport* repair_network(const v2::AuditFindingSeq& seen) override;
  void set_log_level(const char* level) override;
  v2::LogLevelSeq* log_levels() override;
  v2::TracePart* spans_of(const char* manager, v2::ConnectionId connection) override;
  v2::TracedOperationSeq* traced_operations(CORBA::ULong limit) override;
  v2::OptionValueSeq* options() override;
  v2::OptionChangeSeq* reload() override;
  v2::OptionChangeSeq* tune(const char* name, const char* value) override;
  v2::OptionChangeSeq* untune(const char* name) override;

 private:
  ManagerDaemon& daemon_;
  CallTimeout call_timeout_;
  config::Reloadable& options_;
};

}  // namespace xbind::cmgr
