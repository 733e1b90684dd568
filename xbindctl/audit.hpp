// What an audit's result means, for the commands that print it and for their JSON. Pure.
#pragma once

#include "core/audit.hpp"

namespace xbind::ctl {

struct AuditVerdict {
  const char* word;  // "clean", "NOT CLEAN", "UNKNOWN", "OWED"
  int exit_code;     // 0 or one of kAudit* (answers.hpp)
};
AuditVerdict verdict_of(const AuditTotals& totals);

// What `repair` does about a finding, "becomes free".
const char* cure_for(FindingKind kind);

}  // namespace xbind::ctl
