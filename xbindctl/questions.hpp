// `explain`, `fit` and `what-if`: questions to the network that change nothing. Every function
// waits for its peers.
#pragma once

#include <functional>
#include <string>

#include "client/corba/two_way.hpp"
#include "core/path.hpp"
#include "core/trace/span.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/explanations.hpp"
#include "xbindctl/failure.hpp"
#include "xbindctl/network_room.hpp"

namespace xbind::ctl {

// --- questions.cpp -------------------------------------------------------------------------------

// A cause's word ("no-bandwidth"), or "causes" for all of them. An unknown word is a failure.
int explain_cause(const std::string& word);
DocumentOrFailure explain_cause_document(const std::string& word);

// The row of a cause as documents have it.
Json json_of(const CauseRow& row);

// What would happen to a request. Exit code 0 in either case.
int explain_request(orb::NameClient& names, const FitQuestion& question);
DocumentOrFailure explain_request_document(orb::NameClient& names, const FitQuestion& question);

// Exit code 0: it fits; 1: it does not, or that is not known.
int fit(orb::NameClient& names, const FitQuestion& question);
DocumentOrFailure fit_document(orb::NameClient& names, const FitQuestion& question);

// --- explain_call.cpp ----------------------------------------------------------------------------

// What the manager has recorded of the call; without spans if that is nothing.
using Recorded = std::function<OrFailure<trace::Part>()>;

// A call that the manager knows: which stages it has passed, what each of them took, if that is
// recorded, and what it takes on average. Of a call that is refused or gone, what is recorded of
// it: its operations, the stages of its setup, and why it was refused.
int explain_call(const client::TwoWay& manager, ConnectionId connection, const Recorded& recorded);
DocumentOrFailure explain_call_document(const client::TwoWay& manager, ConnectionId connection,
                                        const Recorded& recorded);

// --- what_if.cpp ---------------------------------------------------------------------------------

// `lost`: a link or access line by one of its ports, or (no port) a whole switch. Each call is
// judged alone: the others keep their places.
int what_if(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
            const PathElement& lost);
DocumentOrFailure what_if_document(const client::TwoWay& manager, v2::RouteObject_ptr route_object,
                                   const PathElement& lost);

}  // namespace xbind::ctl
