// Text files with one record per line, split into words.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/name.hpp"

namespace xbind::callgen {

// Calls take(line number from 1, words) for every line that is neither empty nor begins with #,
// until it returns false. Words are separated by blanks and tabs; a carriage return at the end of a
// line is ignored.
template <class Take>
void each_line(std::string_view text, Take take) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    words.clear();
    for (;;) {
      const std::size_t begin = line.find_first_not_of(kBlanks);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const std::size_t length = std::min(line.find_first_of(kBlanks), line.size());
      words.push_back(line.substr(0, length));
      line.remove_prefix(length);
    }
    if (words.empty() || words.front().starts_with('#')) continue;
    if (!take(number, words)) return;
  }
}

// The whole word as a finite number; nullopt if it is none.
inline std::optional<double> number_of(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// The error of a line with its place. Its text quotes words of the file, which may be anything.
inline Error refusal_at(const std::string& file, std::size_t line, const Error& error) {
  return {error.code,
          fmt::format("{} line {}: {}", file, line, printable(error.text, kRefusalOctetsMax))};
}

}  // namespace xbind::callgen
