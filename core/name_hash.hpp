// Hashes of names: a few octets each, thousands of different ones, looked up with every call. Mixes
// eight octets at a time by 2^64 / golden ratio. An attacker can choose names that collide, so a
// table of these hashes must be bounded.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace xbind {

inline std::uint64_t mix_hash(std::uint64_t x) {
  x *= 0x9e37'79b9'7f4a'7c15;
  return x ^ x >> 32;
}

inline std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = name.size();
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mix_hash(hash ^ word);
  }
  std::uint64_t rest = 0;
  for (; left != 0; --left) rest = rest << 8 | static_cast<unsigned char>(*at++);
  return mix_hash(hash ^ rest);
}

// Hash of an ordered pair.
inline std::uint64_t name_hash(std::string_view first, std::string_view second) {
  return mix_hash(name_hash(first) + 3 * name_hash(second));
}

}  // namespace xbind
