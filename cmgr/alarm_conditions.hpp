// The states of a manager that raise alarms (core/alarms). Pure; on the logic's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "cmgr/connection_manager.hpp"
#include "core/alarms/alarm.hpp"

namespace xbind::cmgr {

// What has been counted up to the last look.
struct AlarmCounts {
  std::uint64_t busy = 0;
  std::uint64_t over_client_limit = 0;
  std::uint64_t ended_stuck = 0;
};

// Returns the conditions that hold, and those counted occurrences whose count exceeds that in
// `last`. Sets `last` to the present counts. `manager`: its name. Takes time in proportion to
// switches, clients and incomplete calls, and while links differ to the connections over their
// switches.
std::vector<AlarmCondition> conditions_of(const ConnectionManager& logic,
                                          const std::string& manager, AlarmCounts& last);

}  // namespace xbind::cmgr
