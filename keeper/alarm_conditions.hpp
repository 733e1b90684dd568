// The connections of the keeper's file that raise alarms (core/alarms). Pure.
#pragma once

#include <string>
#include <vector>

#include "core/alarms/alarm.hpp"
#include "keeper/wanted_calls.hpp"

namespace xbind::keeper {

// One condition for each table of the file with a call that is not up: waiting, being set up, or
// broken. A call whose path has a switch in an unknown state may carry cells, and raises none.
// `manager`: its name; `attached`: whether there is a session with it. Stops soon after the number
// of alarms that a daemon lists; the list then says that it leaves some out.
std::vector<AlarmCondition> conditions_of(const WantedCalls& wanted, const std::string& manager,
                                          bool attached);

}  // namespace xbind::keeper
