// Why the numbers of a traffic contract are bounded (core/traffic_contract.hpp has the bound).
#pragma once

#include <string_view>

namespace xbind {

// Of TrafficContract::kFieldMax, for every switch whatever its driver: all are controlled by GSMP.
inline constexpr std::string_view kWhyContractFieldMax = "GSMP's traffic fields have 24 bits";

}  // namespace xbind
