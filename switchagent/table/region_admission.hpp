// Admission by the schedulable region of an output port (draft-adam-gsmp-sr-00): whether one more
// call of a class fits. The region model has the classes and the region; the existing calls are the
// branches of the table.
#pragma once

#include "core/ids.hpp"
#include "dataplane/forwarding_table.hpp"
#include "gsmp/messages/failure_code.hpp"
#include "switchagent/table/branch_table.hpp"
#include "switchagent/table/qos_profiles.hpp"
#include "switchagent/table/region_model.hpp"

namespace xbind::switchagent {

// kNone, kNoSuchClass or kOutsideRegion. Does not count the branch from `from` to `replaced`, which
// the new one replaces. For a class of the region model it takes time in proportion to the branches
// of the switch. `output` must exist.
gsmp::FailureCode check_region(const RegionModel& region, const dataplane::ForwardingTable& table,
                               const BranchTable& branches, const QosProfile& qos, PortId output,
                               const dataplane::VirtualLink& from,
                               const dataplane::Branch& replaced);

}  // namespace xbind::switchagent
