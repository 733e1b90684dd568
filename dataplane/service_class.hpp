// The service categories of ATM (ATM Forum TM 4.0 section 2), as far as a queue treats them apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbind::dataplane {

enum class ServiceClass : std::uint8_t { kCbr, kRtVbr, kNrtVbr, kAbrGfr, kUbr };
inline constexpr std::size_t kServiceClasses = 5;

// The first two are served in real time: before all others.
constexpr bool real_time(ServiceClass service) { return service <= ServiceClass::kRtVbr; }

}  // namespace xbind::dataplane
