#include "callgen/report/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xbind::callgen {

std::string grouped(std::uint64_t number, std::string_view space) {
  std::string text = fmt::format("{}", number);
  for (std::size_t left = text.size(); left > 3;) {
    left -= 3;
    text.insert(left, space);
  }
  return text;
}

std::string rounded(double number, std::string_view space) {
  if (number < 0) return "-" + rounded(-number, space);
  if (number > 0 && number < 0.0005) {
    constexpr int kDecimalsMax = 9;  // 1e-9: nothing that we measure is smaller
    const int decimals = std::min(kDecimalsMax, static_cast<int>(std::ceil(-std::log10(number))));
    return fmt::format("{:.{}f}", number, decimals);
  }
  if (number < 0.1) return fmt::format("{:.3f}", number);
  if (number < 9.995) return fmt::format("{:.2f}", number);
  if (number < 99.95) return fmt::format("{:.1f}", number);
  // Beyond what a count can be the digits say nothing.
  if (!(number < 1e15)) return fmt::format("{:.3g}", number);
  return grouped(static_cast<std::uint64_t>(std::llround(number)), space);
}

}  // namespace xbind::callgen
