// A report as it was, from the object "xbind.callgen/1" that to_json() made: nothing has to be run again.
#pragma once

#include <string_view>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::size_t kLongestReport = std::size_t{256} << 20;  // octets

// kBadInput: no JSON, another schema, a member that is not what it should be, longer than kLongestReport.
// Of a report of an older version what it did not have stays empty. The verdict is made anew.
Result<RunReport> report_from_json(std::string_view text);

}  // namespace xbind::callgen
