// `validate` and `sync`: one call, hop by hop, in the manager, the ledgers and the switches. Every
// function waits for its peers.
#pragma once

#include "client/corba/two_way.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {

// Exit code 0: everything agrees; 1: something differs, or the call is changing; kAuditUnknown: a
// switch could not be asked, and nothing differs at the others, or the call is incomplete.
int validate(const client::TwoWay& manager, ConnectionId connection);
DocumentOrFailure validate_document(const client::TwoWay& manager, ConnectionId connection);

// Validates, shows what is done about each finding, does it unless `dry_run`, and shows the result.
// Exit code as above.
int sync(const client::TwoWay& manager, ConnectionId connection, bool dry_run);
DocumentOrFailure sync_document(const client::TwoWay& manager, ConnectionId connection,
                                bool dry_run);

}  // namespace xbind::ctl
