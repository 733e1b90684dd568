// The CORBA servants of a SwitchServer: they convert, call and convert back.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "orb/dispatch.hpp"
#include "orb/runtime.hpp"
#include "orb/supervised.hpp"
#include "switch_server.hh"
#include "switchserver/daemon.hpp"

namespace xbind {

// Receives batches of commands, on an endpoint of its own.
class HopInboxServant : public orb::Dispatched<POA_xbind::v2::HopInbox> {
 public:
  explicit HopInboxServant(SwitchServerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void submit_hops(v2::SessionId session, v2::BatchSeq seq, v2::BatchSeq confirmed,
                   const v2::HopBatch& batch) override;

 private:
  SwitchServerDaemon& daemon_;
};

// The operators' interface of the SwitchServer.
class SwitchOperationsServant : public orb::Supervised<POA_xbind::v2::SwitchOperations> {
 public:
  // Both arguments must outlive this object.
  SwitchOperationsServant(SwitchServerDaemon& daemon, config::Reloadable& options)
      : Supervised(daemon.dispatch(), daemon.supervision(), options), daemon_(daemon) {}
  v2::ManagerHoldingsSeq* managers() override;
  CORBA::ULong clear_hops(const char* manager, v2::ConnectionId connection) override;
  CORBA::ULong forget_manager(const char* manager) override;
  void renew_epoch(const char* manager, v2::Epoch newest) override;
  CORBA::ULong repair(const v2::AuditFindingSeq& seen) override;
  CORBA::ULong mend_call(const char* manager, v2::ConnectionId connection,
                         const v2::EntryDifferenceSeq& seen) override;
  v2::PortReportSeq* ports() override;
  v2::HopRoomSeq* would_take(const char* manager, const v2::HopQuestionSeq& hops) override;
  void report_now() override;
  v2::CellCounters count_cells(v2::PortNumber input_port,
                               const v2::LabelValue& input_label) override;
  v2::TracePart* spans_of(const char* manager, v2::ConnectionId connection) override;

 private:
  SwitchServerDaemon& daemon_;
};

class SwitchServerServant : public orb::Dispatched<POA_xbind::v2::SwitchServer> {
 public:
  SwitchServerServant(SwitchServerDaemon& daemon, v2::HopInbox_ptr inbox,
                      v2::SwitchOperations_ptr operations)
      : Dispatched(daemon.dispatch()),
        daemon_(daemon),
        inbox_(v2::HopInbox::_duplicate(inbox)),
        operations_(v2::SwitchOperations::_duplicate(operations)) {}

  v2::HopAttachment* attach_manager(const char* manager, v2::Epoch manager_epoch,
                                    CORBA::ULong version, v2::HopObserver_ptr observer) override;
  v2::ManagerEpochs* epochs_of(const char* manager) override;
  v2::HopPage* held_hops(v2::SessionId session, CORBA::ULongLong from) override;
  v2::ClaimsTaken* claim_hops(v2::SessionId session, const v2::HopPage& claimed,
                              const v2::PortLabelsSeq& resting, CORBA::Boolean all) override;
  void detach_manager(v2::SessionId session) override;
  v2::PortGrant* grant(v2::SessionId session, v2::PortNumber port_number,
                       CORBA::ULong labels_wanted, const v2::Demand& quota_wanted) override;
  void give_back(v2::SessionId session, v2::PortNumber port_number, const v2::LabelSeq& labels,
                 const v2::Demand& quota) override;
  v2::HopResultBatch* execute(v2::SessionId session, const v2::HopBatch& batch) override;
  v2::LedgerPage* audit_switch(const char* manager) override;
  v2::LedgerPage* audit_page(CORBA::ULongLong audit_number) override;
  v2::CallAtSwitch* look_at_call(const char* manager, v2::ConnectionId connection,
                                 const v2::LegSeq& legs, const v2::TableEntrySeq& inputs) override;
  v2::SwitchOperations_ptr switch_operations() override;
  v2::MetricSeq* status() override;

 private:
  // The parts of the latest audits that did not fit into a page; at most kAuditsKept. Pages list
  // findings first, then labels, then hops.
  struct Rest {
    LedgerReport report;
    std::size_t next_finding = 0;
    std::size_t next_hop = 0;
  };
  static constexpr std::size_t kAuditsKept = 8;

  void fill_page(v2::LedgerPage& page, std::uint64_t number, Rest rest);

  SwitchServerDaemon& daemon_;
  v2::HopInbox_var inbox_;
  v2::SwitchOperations_var operations_;
  std::mutex mutex_;
  std::uint64_t next_audit_ = 1;
  std::map<std::uint64_t, Rest> rests_;
};

}  // namespace xbind
