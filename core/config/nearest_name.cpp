#include "core/config/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace xbind::config {
namespace {

// A longer name is no misspelling; the table below grows with its length.
constexpr std::size_t kTypedMax = 100;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view typed,
                                        std::span<const std::string> known) {
  if (typed.empty() || typed.size() > kTypedMax) return std::nullopt;
  std::size_t best_distance = std::max<std::size_t>(2, typed.size() / 3) + 1;
  std::optional<std::string> best;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance >= best_distance || distance >= typed.size()) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

}  // namespace xbind::config
