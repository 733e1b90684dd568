// Demands between endpoints, from a file. A file in SNDlib's native format is recognised by its
// first words (routeobject/import/sndlib.hpp: only its demands are used). Any other file has one
// demand per line:
//
//   # from to weight
//   host-a host-b 3
//   host-b host-a 0.5
//
// A demand of weight 2 gets twice as many calls as one of weight 1; demands of the same pair add
// up.
//
// kBadInput ("FILE line N: ..."): a line without exactly three words, a demand from an endpoint to
// itself, a weight that is not a number above 0; more than Workload::kMostDemands demands, or none.
// kSystem: the file cannot be read.
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
