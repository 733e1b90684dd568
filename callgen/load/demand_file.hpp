// Who calls whom, from a file. SNDlib's native format is known by its first words
// (routeobject/import/sndlib.hpp: only its demands are used); everything else is one demand a line:
//
//   # from to weight
//   host-a host-b 3
//   host-b host-a 0.5
//
// A demand of weight 2 is called twice as often as one of weight 1; several of one pair add up.
//
// kBadInput ("FILE line N: ..."): not three words, an end that calls itself, a weight that is no number above
// 0; more than Workload::kMostDemands of them, or none. kSystem: the file cannot be read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "callgen/load/workload.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::size_t kDemandOctetsMax = 64U << 20;

Result<std::vector<Demand>> parse_demands(std::string_view text, const std::string& file);
Result<std::vector<Demand>> read_demands(const std::string& file);

}  // namespace xbind::callgen
