// What an audit's result means, for the commands that print it and for their JSON. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit.hpp"

namespace xbind::ctl {

struct AuditVerdict {
  const char* word;  // "clean", "NOT CLEAN", "UNKNOWN", "OWED"
  int exit_code;     // 0 or one of kAudit* (answers.hpp)
};
AuditVerdict verdict_of(const AuditTotals& totals);

// What `repair` does about a finding, "becomes free".
const char* cure_for(FindingKind kind);
// What the finding means, a sentence.
const char* meaning_of(FindingKind kind);

// "missing-cross-connect": the finding's words as one word of a command line.
std::string word_of(FindingKind kind);
std::optional<FindingKind> finding_from_word(std::string_view word);
// Of every kind, in the order of the contract's numbers.
std::vector<std::string> finding_words();

// `explain` for a kind of finding.
int explain_finding(FindingKind kind);

}  // namespace xbind::ctl
