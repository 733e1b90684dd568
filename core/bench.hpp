// Helpers that the benchmark programs share. Any thread.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace xbind {

// Parses the only argument of a benchmark program: a whole number from 1 to `most`, or `otherwise`
// when there is no argument. nullopt: the argument is invalid and `usage`, as in "gsmp_bench
// [MESSAGES]", has been printed; the program exits with code 2.
template <class T>
std::optional<T> bench_argument(int argc, char** argv, std::string_view usage, T otherwise,
                                T most = std::numeric_limits<T>::max()) {
  if (argc < 2) return otherwise;
  const std::string_view word = argv[1];
  T count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (argc == 2 && error == std::errc{} && end == word.data() + word.size() && count >= 1 &&
      count <= most) {
    return count;
  }
  fmt::print(stderr, "usage: {}\n", usage);
  return std::nullopt;
}

// `rounds` is not empty.
inline double median(std::span<const double> rounds) {
  std::vector<double> sorted(rounds.begin(), rounds.end());
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

}  // namespace xbind
