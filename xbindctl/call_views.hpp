// `calls` and `call`. Every function waits for its peers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
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

// The ledgers of the switches of the path.
std::vector<LedgerOfCall> ledgers_of(const v2::CallCheck& check);

// The document of one page.
Document document_of(const CallPage::Result& page);

int calls(const client::TwoWay& manager, const CallPage::Plan& plan, bool ids);
DocumentOrFailure calls_document(const client::TwoWay& manager, const CallPage::Plan& plan);

// What manager and ledgers have of a call. Exit code 1 also when one of the ledgers cannot be read.
int call(const client::TwoWay& manager, ConnectionId connection);
DocumentOrFailure call_document(const client::TwoWay& manager, ConnectionId connection);

}  // namespace xbind::ctl
