// The manager's side of an audit: what it believes about one switch, and the comparison with what that
// switch's ledger says (core/audit.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/audit.hpp"

namespace xbind::cmgr {

struct ManagerView {
  std::vector<LedgerHop> hops;  // of every connection that passes the switch, ascending key
  std::vector<HopKey> owed;     // removals not delivered yet, ascending
  std::vector<std::pair<PortId, Label>>
      labels;  // cached, in connections, on their way back; ascending
  std::vector<std::pair<PortId, Label>> cached;  // those of them in the cache; ascending

  friend bool operator==(const ManagerView&, const ManagerView&) = default;
};

// Findings about one switch. Two views, taken before and after the report was fetched: what changed in
// between, or is not settled, is not judged. The report's own findings come first.
std::vector<Finding> compare(const std::string& switch_name, const ManagerView& before,
                             const LedgerReport& report, const ManagerView& after);

// What two looks in a row have seen; owed and unreadable ones of the second look stay as they are.
std::vector<Finding> seen_twice(std::vector<Finding> first, std::vector<Finding> second);

}  // namespace xbind::cmgr
