// `calls` and `call`. Every function waits for its peers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "orb/name_client.hpp"
#include "switch_server.hh"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {

// What the ledger of one SwitchServer has of a call.
struct LedgerOfCall {
  std::string switch_name;
  std::vector<v2::LedgerHop> hops;
  std::optional<Failure> failure;  // it could not be read
};

// Reads the ledger of each switch of the path once. The contracts have no query for one call's
// hops, so this audits the switch (SwitchServer::audit_switch) and takes as long as that.
// `manager`: its name below xbind/cmgr.
std::vector<LedgerOfCall> ledgers_of(orb::NameClient& names, const std::string& manager,
                                     const v2::ConnectionState& state);

// The document of one page.
Document document_of(const CallPage::Result& page);

int calls(const client::TwoWay& manager, const CallPage::Plan& plan, bool ids);
Told calls_document(const client::TwoWay& manager, const CallPage::Plan& plan);

// Exit code 1 also when one of the ledgers cannot be read.
int call(const client::TwoWay& manager, orb::NameClient& names, const std::string& manager_name,
         ConnectionId connection);
Told call_document(const client::TwoWay& manager, orb::NameClient& names,
                   const std::string& manager_name, ConnectionId connection);

}  // namespace xbind::ctl
