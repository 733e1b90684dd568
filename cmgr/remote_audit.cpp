// RemotePeers: fetches the whole report of a SwitchServer, page by page.
#include <iterator>
#include <utility>

#include "cmgr/parts/timers.hpp"
#include "cmgr/remote_peers.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"
#include "orb/table_entries.hpp"

namespace xbind::cmgr {
namespace {

// Longer than the time in which a SwitchServer expects its switch to list its table.
constexpr auto kAuditTimeoutMs =
    static_cast<CORBA::ULong>(kManagerTimers.ms("audit-answer").count());
// For a SwitchServer to which the manager is not attached: it is probably not running.
constexpr auto kAuditAbsentTimeoutMs =
    static_cast<CORBA::ULong>(kManagerTimers.ms("audit-answer-absent").count());

template <class T>
void append(std::vector<T> more, std::vector<T>& to) {
  if (to.empty()) {
    to = std::move(more);
  } else {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
}

// Fetches all pages of an audit. Call within orb::remote(): throws the SwitchServer's exceptions.
Result<LedgerReport> whole_report(v2::SwitchServer_ptr server, const std::string& manager) {
  LedgerReport report;
  v2::LedgerPage_var page = server->audit_switch(manager.c_str());
  report.cross_connects = page->cross_connects;
  for (;;) {
    auto findings = orb::to_core(page->findings);
    auto cached = orb::to_core(page->cached);
    auto quarantined = orb::to_core(page->quarantined);
    if (!findings) return tl::make_unexpected(findings.error());
    if (!cached) return tl::make_unexpected(cached.error());
    if (!quarantined) return tl::make_unexpected(quarantined.error());
    const bool empty =
        findings->empty() && cached->empty() && quarantined->empty() && page->hops.length() == 0;
    append(std::move(*findings), report.findings);
    append(std::move(*cached), report.cached);
    append(std::move(*quarantined), report.quarantined);
    if (auto added = orb::add_hops(page.in(), report); !added) {
      return tl::make_unexpected(added.error());
    }
    if (!page->more) return report;
    if (empty) {
      return fail(ErrorCode::kProtocol, "an audit has more pages after an empty one");
    }
    page = server->audit_page(page->audit);
  }
}

}  // namespace

Result<LedgerReport> RemotePeers::audit_switch(const std::string& switch_name, bool attached) {
  auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  omniORB::setClientCallTimeout(*server, attached ? kAuditTimeoutMs : kAuditAbsentTimeoutMs);
  return orb::remote("switchserver " + switch_name, *server,
                     [&] { return whole_report(*server, options_.manager); });
}

Result<std::uint64_t> RemotePeers::repair_switch(const std::string& switch_name,
                                                 const std::vector<Finding>& seen) {
  auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  v2::AuditFindingSeq findings;
  orb::to_idl(seen, findings);
  return orb::remote("switchserver " + switch_name, *server, [&]() -> Result<std::uint64_t> {
    const v2::SwitchOperations_var operations = (*server)->switch_operations();
    omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
    return operations->repair(findings);
  });
}

Result<CallAtSwitch> RemotePeers::look_at_call(const std::string& switch_name,
                                               const CallQuestion& question, bool attached) {
  auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  omniORB::setClientCallTimeout(*server, attached ? kAuditTimeoutMs : kAuditAbsentTimeoutMs);
  v2::LegSeq legs;
  legs.length(static_cast<CORBA::ULong>(question.legs.size()));
  for (CORBA::ULong i = 0; i < legs.length(); ++i) legs[i] = question.legs[i];
  v2::TableEntrySeq inputs;
  orb::to_idl(question.inputs, inputs);
  return orb::remote("switchserver " + switch_name, *server, [&]() -> Result<CallAtSwitch> {
    const v2::CallAtSwitch_var there = (*server)->look_at_call(
        options_.manager.c_str(), question.connection.value(), legs, inputs);
    return orb::to_core(there.in());
  });
}

Result<std::uint64_t> RemotePeers::mend_call(const std::string& switch_name,
                                             ConnectionId connection,
                                             const std::vector<EntryDifference>& seen) {
  auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  v2::EntryDifferenceSeq differences;
  orb::to_idl(seen, differences);
  return orb::remote("switchserver " + switch_name, *server, [&]() -> Result<std::uint64_t> {
    const v2::SwitchOperations_var operations = (*server)->switch_operations();
    omniORB::setClientCallTimeout(operations, kAuditTimeoutMs);
    return operations->mend_call(options_.manager.c_str(), connection.value(), differences);
  });
}

}  // namespace xbind::cmgr
