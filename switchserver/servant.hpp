// The CORBA face of a SwitchServer: convert, call, convert.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "orb/dispatch.hpp"
#include "orb/runtime.hpp"
#include "switch_server.hh"
#include "switchserver/daemon.hpp"

namespace xbind {

// Batches of commands, on an endpoint of its own.
class HopInboxServant : public orb::Dispatched<POA_xbind::v1::HopInbox> {
 public:
  explicit HopInboxServant(SwitchServerDaemon& daemon)
      : Dispatched(daemon.dispatch()), daemon_(daemon) {}
  void submit(v1::SessionId session, v1::BatchSeq seq, v1::BatchSeq confirmed,
              const v1::HopBatch& batch) override;

 private:
  SwitchServerDaemon& daemon_;
};

class SwitchServerServant : public orb::Dispatched<POA_xbind::v1::SwitchServer> {
 public:
  SwitchServerServant(SwitchServerDaemon& daemon, v1::HopInbox_ptr inbox)
      : Dispatched(daemon.dispatch()), daemon_(daemon), inbox_(v1::HopInbox::_duplicate(inbox)) {}

  v1::HopAttachment* attach(const char* manager, v1::Epoch manager_epoch, CORBA::ULong version,
                            v1::HopObserver_ptr observer) override;
  void detach(v1::SessionId session) override;
  v1::PortGrant* grant(v1::SessionId session, v1::PortNumber port_number,
                       CORBA::ULong labels_wanted, const v1::Demand& quota_wanted) override;
  void give_back(v1::SessionId session, v1::PortNumber port_number, const v1::LabelSeq& labels,
                 const v1::Demand& quota) override;
  v1::HopResultBatch* execute(v1::SessionId session, const v1::HopBatch& batch) override;
  CORBA::ULong forget_manager(const char* manager) override;
  v1::LedgerPage* audit(const char* manager) override;
  v1::LedgerPage* audit_more(CORBA::ULongLong audit_number) override;
  v1::PortReportSeq* ports() override;
  v1::CellCounters count_cells(v1::PortNumber input_port,
                               const v1::LabelValue& input_label) override;
  v1::MetricSeq* status() override;

 private:
  // What of the latest audits did not fit into a page; at most kAuditsKept. A page holds findings
  // first, then labels, then hops.
  struct Rest {
    LedgerReport report;
    std::size_t next_finding = 0;
    std::size_t next_hop = 0;
  };
  static constexpr std::size_t kAuditsKept = 8;

  void fill_page(v1::LedgerPage& page, std::uint64_t number, Rest rest);

  SwitchServerDaemon& daemon_;
  v1::HopInbox_var inbox_;
  std::mutex mutex_;
  std::uint64_t next_audit_ = 1;
  std::map<std::uint64_t, Rest> rests_;
};

}  // namespace xbind
