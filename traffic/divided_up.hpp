// Arithmetic of the mappings: divisions that round up.
#pragma once

#include <cstdint>

namespace xbind {

inline constexpr std::uint64_t kMicroseconds = 1'000'000;  // of a second

// a / b, rounded up. `b` is not 0. Cannot overflow.
constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace xbind
