// Restores a report from the object "xbind.callgen/1" that to_json() wrote, without repeating the
// run.
#pragma once

#include <string_view>

#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::size_t kLongestReport = std::size_t{256} << 20;  // octets

// kBadInput: not JSON, another schema, a malformed member, or longer than kLongestReport. Members
// that an older version did not have stay empty. The verdict is computed again.
Result<RunReport> report_from_json(std::string_view text);

}  // namespace xbind::callgen
