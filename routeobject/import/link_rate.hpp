// Converts the rates in topology files to cells per second.
//
//   cells/s = floor(bit/s / 424)
//
// with the rate rounded to whole bit/s first. A link's rate is what it carries in whole cells of 53
// octets (424 bits), so 155 Mbit/s are 365566 cells/s. libatm counts only the 48 octets of payload
// in each cell (floor(bit/s / 384)), because its rates are a user's; these are rates of lines.
//
// The name of a frame determines how many cells it carries, which is less than its bit rate:
//   OC-n, STM-n   n/3 (n) x 149.76 Mbit/s: 353207 cells/s in OC-3 and STM-1; n = 3, 12, 48, 192,
//   768
//                 (1, 4, 16, 64, 256). OC-1: 48.384 Mbit/s. ITU-T G.707, ANSI T1.646.
//   DS3, T3       96000 cells/s: 12 cells in each PLCP frame of 125 us (T1.646)
//   E3            80000: 33.92 Mbit/s (ITU-T G.804)
//   E1            4528: 1.92 Mbit/s (G.804)
//   DS1, T1       3622: 1.536 Mbit/s (G.804)
//
// Pure functions, for any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xbind {

inline constexpr std::uint64_t kBitsPerCell = 424;

// 0: less than one cell/s. nullopt: not finite, negative, or more than kLinkCellsPerSMax.
std::optional<std::uint64_t> cells_per_s_of_bits(double bits_per_s);

struct RateInText {
  enum class Kind { kNone, kStated, kSeveral };
  Kind kind = Kind::kNone;
  std::uint64_t cells_per_s = 0;  // of kStated; 0: the text states a rate below one cell a second
  std::string words;              // of kStated: the part of the text that states the rate
};

// Finds the rate in a label such as "< 10 Gbps", "2 x STM-16" or "OC-192c". A bound counts as the
// rate; the number and its unit may stand anywhere in the text. Units: bit/s, bps, b/s with k, M, G
// or T in front in any case, "10G", "100M", "64k", "10GE", "GigE". kSeveral means ambiguous: two
// rates that differ, a range ("1-10 Gbps"), a decimal comma, or a rate that is too large. Only the
// first 256 octets are read.
RateInText rate_in_text(std::string_view text);

}  // namespace xbind
