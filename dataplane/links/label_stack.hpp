// The entry of a label stack (RFC 3032 section 2.1): label 20 bits, TC 3, S 1, TTL 8.
#pragma once

#include <cstdint>

namespace xbind::dataplane {

inline constexpr std::uint32_t kBottomOfStack = 0x100;  // S: the last entry
inline constexpr std::uint32_t kTtl = 0xff;             // the field, and the value that is sent

}  // namespace xbind::dataplane
