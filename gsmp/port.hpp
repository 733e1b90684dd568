// Where GSMP is spoken over TCP.
#pragma once

#include <cstdint>

namespace xbind::gsmp {

// Of TCP, at which a switch listens (RFC 3293, section 4).
inline constexpr std::uint16_t kGsmpPort = 6068;

}  // namespace xbind::gsmp
