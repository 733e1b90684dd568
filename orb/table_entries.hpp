// Converts entries of switches' tables, and their differences from ledgers, as convert.hpp does
// (idl/switch_server.idl).
#pragma once

#include <vector>

#include "core/audit.hpp"
#include "core/result.hpp"
#include "switch_server.hh"

namespace xbind::orb {

void to_idl(const std::vector<CrossConnect>& entries, v2::TableEntrySeq& out);
Result<std::vector<CrossConnect>> to_core(const v2::TableEntrySeq& entries);
void to_idl(const std::vector<EntryDifference>& differences, v2::EntryDifferenceSeq& out);
// Also refuses a difference without an entry, and one of a kind that concerns no entry.
Result<std::vector<EntryDifference>> to_core(const v2::EntryDifferenceSeq& differences);

}  // namespace xbind::orb
