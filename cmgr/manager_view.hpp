// The manager's side of an audit: its view of one switch, and the comparison with the ledger of
// that switch (core/audit.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/audit.hpp"

namespace xbind::cmgr {

struct ManagerView {
  // hops of every connection that passes the switch, in ascending key order
  std::vector<LedgerHop> hops;
  std::vector<HopKey> owed;  // removals not yet delivered, ascending
  // cached, in connections or being returned; ascending
  std::vector<std::pair<PortId, Label>> labels;
  std::vector<std::pair<PortId, Label>> cached;  // the subset of `labels` in the cache; ascending
  // Incomplete calls lack hops here.
  bool lacks_hops = false;

  friend bool operator==(const ManagerView&, const ManagerView&) = default;
};

// Returns the findings about one switch; those of the report itself come first. The two views were
// taken before and after the report was fetched. Entries that changed in between or are not settled
// are not judged.
std::vector<Finding> compare(const std::string& switch_name, const ManagerView& before,
                             const LedgerReport& report, const ManagerView& after);

// What a manager itself can do about findings: about those of the present look that are also in
// `seen`, an earlier look.
struct OwnRepairs {
  std::vector<LedgerHop> stray_hops;                    // to be removed: only the ledger has them
  std::vector<std::pair<PortId, Label>> leaked_labels;  // to be returned: only the ledger has them
  // For the SwitchServer. A cross-connect that looks stray may be that of a hop which the ledger
  // has lost: while the manager misses one there, or an incomplete call lacks one, strays are left
  // alone.
  std::vector<Finding> for_switch_server;
};
OwnRepairs repairs_of(const std::string& switch_name, const ManagerView& before,
                      const LedgerReport& report, const ManagerView& after,
                      const std::vector<Finding>& seen);

// "100 cells/s and 10 cells of buffer", or without the buffer.
std::string demand_words(const Resources& demand, bool with_buffer);

// Returns the findings that both looks have; owed and unreadable ones of the second look are kept
// in any case.
std::vector<Finding> seen_twice(const std::vector<Finding>& first, std::vector<Finding> second);

}  // namespace xbind::cmgr
