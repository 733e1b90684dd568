// The ATM service categories (ATM Forum TM 4.0 section 2) that queues distinguish.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbind::dataplane {

enum class ServiceClass : std::uint8_t { kCbr, kRtVbr, kNrtVbr, kAbrGfr, kUbr };
inline constexpr std::size_t kServiceClasses = 5;

}  // namespace xbind::dataplane
