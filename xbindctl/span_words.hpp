// Spans in words for people.
#pragma once

#include <cstdint>
#include <string>

#include "core/trace/span.hpp"

namespace xbind::ctl {

// "2026-03-01 12:00:00.123456 UTC", of nanoseconds since 1970.
std::string wall_time(std::uint64_t ns);
// Microseconds with one digit after the point.
std::string in_us(std::int64_t ns);
// Its duration in us; "-": it is not over.
std::string took(const trace::Span& span);
// "done", "no bandwidth", "under way", then its detail and `note`, where there are any.
std::string result_of(const trace::Span& span, const std::string& note);

}  // namespace xbind::ctl
