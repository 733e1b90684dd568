// A service by its name, in the user's words: what a client says, and what the QOSMapper looks up in its
// catalogue (qosmapper/catalogue.hpp; idl/types.idl is the same on the wire).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace xbind {

inline constexpr std::size_t kServiceNameMax = 64;  // octets

// 0 in a number: as the catalogue has it, or not said. Which class takes which number, the ranges and
// the units are those of UserService (qosmapper/atm_mapping.hpp); a number that the class does not take
// is refused there.
struct ServiceTerms {
  // A service of the catalogue, or the word of a class, "video", "voice", "data", "constant": then the
  // numbers say everything. At most kServiceNameMax octets.
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
