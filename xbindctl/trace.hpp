// `trace`: where the time of one call went, process by process; and the calls that are recorded.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.hpp"
#include "core/trace/span.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/document.hpp"
#include "xbindctl/failure.hpp"

namespace xbind::ctl {

struct TraceWish {
  std::string manager;      // its name
  ConnectionId call;        // 0: the latest calls
  std::uint32_t limit = 0;  // of the latest operations; 0: 20
  // File that gets the spans in OTLP/JSON, one more line for each call; empty: none.
  std::string otlp;
};

// The manager's part of the call; without spans if it has recorded nothing of it.
OrFailure<trace::Part> recorded_at_manager(orb::NameClient& names, const TraceWish& wish);

int trace(orb::NameClient& names, const TraceWish& wish);
DocumentOrFailure trace_document(orb::NameClient& names, const TraceWish& wish);

}  // namespace xbind::ctl
