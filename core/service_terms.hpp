// A service by name, in the user's terms. A client sends it; the QOSMapper looks it up in its
// catalogue (traffic/catalogue.hpp). idl/types.idl defines the wire form.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace xbind {

inline constexpr std::size_t kServiceNameMax = 64;  // octets

// A number that is 0 is not given; the catalogue's value applies. UserService
// (traffic/atm_mapping.hpp) defines which class uses which number, the ranges and the units. It
// refuses a number that the class does not use.
struct ServiceTerms {
  // A service of the catalogue, or a class, "video", "voice", "data", "constant", which the numbers
  // then specify completely. At most kServiceNameMax octets.
  std::string name;
  std::uint64_t frames_per_1000_s = 0;  // video, voice
  std::uint64_t frame_octets = 0;       // all
  std::uint64_t peak_to_mean = 0;       // video; thousandths
  std::uint64_t burst_frames = 0;       // video, data
  std::uint64_t bits_per_s = 0;         // constant, data
  std::uint64_t peak_bits_per_s = 0;    // data
  std::uint64_t frame_loss = 0;         // all; parts of 10^12
  std::uint64_t delay_us = 0;           // video, voice, constant

  friend auto operator<=>(const ServiceTerms&, const ServiceTerms&) = default;
};

}  // namespace xbind
