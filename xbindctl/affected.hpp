// The calls that would have to move if elements of the network were lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/path.hpp"
#include "route_object.hh"
#include "xbindctl/call_filter.hpp"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {

// A link by both its ends, an access line by its port, or a switch by port 0.
using Lost = std::vector<PathElement>;

struct AffectedCall {
  CallRow row;
  bool moves = false;  // another path was found
  std::string why;     // it does not: the reason
};

struct AffectedCalls {
  std::vector<AffectedCall> calls;  // ascending ids
  std::uint64_t all = 0;            // calls of the manager
};

// Both ends of the link at that port, or the element alone: a switch, or an access line. kNotFound:
// no such switch, or a port with neither. Lets the ORB's exceptions pass.
OrFailure<Lost> lost_element(v2::RouteObject_ptr route_object, const PathElement& lost);

// The manager's calls that lead over one of `lost`. Whether each has another path, around all of
// `lost`, is judged with the others at their places. kExhausted: more elements are lost than a
// query may avoid. Waits for both peers.
OrFailure<AffectedCalls> affected_calls(const client::TwoWay& manager,
                                        v2::RouteObject_ptr route_object,
                                        const std::vector<Lost>& lost);

}  // namespace xbind::ctl
