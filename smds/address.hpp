// Addresses of SMDS: a type and up to 15 digits of E.164 in 64 bits.
//
//   | type 4: C individual, E group | digits, 4 bits each, from the front | F to the end |
//
//   C14089991000FFFF     E18008881000FFFF
//
// Values only; any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind::smds {

inline constexpr std::size_t kDigitsMax = 15;

class Address {
 public:
  // No address: neither individual() nor group().
  constexpr Address() = default;
  // Of the eight octets on the wire, valid or not.
  constexpr explicit Address(std::uint64_t wire) : wire_(wire) {}

  // "C14089991000", with or without the F at its end. kBadInput: another form.
  static Result<Address> parse(std::string_view text);

  constexpr std::uint64_t wire() const { return wire_; }
  constexpr bool individual() const { return wire_ >> 60 == 0xC; }
  constexpr bool group() const { return wire_ >> 60 == 0xE; }
  // Whether it is of a known type and its digits are digits, at least one, up to the first F.
  constexpr bool valid() const {
    if (!individual() && !group()) return false;
    const std::size_t count = digits();
    for (std::size_t place = 0; place < kDigitsMax; ++place) {
      if (place < count ? digit(place) > 9 : digit(place) != kFiller) return false;
    }
    return count > 0;
  }
  // Number of digits before the first F.
  constexpr std::size_t digits() const {
    std::size_t count = 0;
    while (count < kDigitsMax && digit(count) != kFiller) ++count;
    return count;
  }
  // Type and first `count` digits, with F behind them; count: 0..kDigitsMax.
  constexpr Address first(std::size_t count) const {
    const std::size_t bits = 4 * (kDigitsMax - count);
    return Address(bits == 0 ? wire_ : wire_ | ((std::uint64_t{1} << bits) - 1));
  }

  friend constexpr auto operator<=>(Address, Address) = default;

 private:
  static constexpr std::uint32_t kFiller = 0xF;

  constexpr std::uint32_t digit(std::size_t place) const {
    return static_cast<std::uint32_t>(wire_ >> (4 * (kDigitsMax - 1 - place)) & 0xF);
  }

  std::uint64_t wire_ = 0;
};

// Its 16 hexadecimal digits.
std::string to_string(Address address);

}  // namespace xbind::smds
