#include "core/metrics/metric_table.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind {
namespace {

// Whether `name` is of the family: each bracket stands for one or more characters. Appends what the
// brackets stand for to `words` in reverse order, if given.
bool fits(std::string_view family, std::string_view name,
          std::vector<std::string_view>* words = nullptr) {
  const std::size_t open = family.find('<');
  if (open == std::string_view::npos) return family == name;
  if (name.substr(0, open) != family.substr(0, open)) return false;
  family.remove_prefix(family.find('>') + 1);
  for (std::size_t taken = open + 1; taken <= name.size(); ++taken) {
    if (!fits(family, name.substr(taken), words)) continue;
    if (words != nullptr) words->push_back(name.substr(open, taken - open));
    return true;
  }
  return false;
}

std::size_t fixed_part(std::string_view family) {
  std::size_t size = 0;
  bool inside = false;
  for (const char c : family) {
    if (c == '<') inside = true;
    if (!inside) ++size;
    if (c == '>') inside = false;
  }
  return size;
}

}  // namespace

std::string filled(std::string_view family, std::initializer_list<std::string_view> words) {
  std::string name;
  for (const std::string_view word : words) {
    const std::size_t open = family.find('<');
    XB_CHECK(open != std::string_view::npos, family, word);
    name += family.substr(0, open);
    name += word;
    family.remove_prefix(family.find('>') + 1);
  }
  XB_CHECK(family.find('<') == std::string_view::npos, family);
  return name += family;
}

std::size_t rows_describing(std::string_view exported, std::span<const MetricTable> tables) {
  std::size_t longest = 0;
  std::size_t count = 0;
  for (const MetricTable& table : tables) {
    for (const MetricInfo& row : table.rows) {
      if (!fits(row.name, exported)) continue;
      // A full name is longer than the fixed part of any family that it fits.
      const std::size_t fixed = fixed_part(row.name);
      if (fixed > longest) count = 0;
      if (fixed >= longest) ++count;
      longest = std::max(longest, fixed);
    }
  }
  return count;
}

std::optional<DescribedMetric> description_of(std::string_view exported,
                                              std::span<const MetricTable> tables) {
  DescribedMetric best;
  std::size_t longest = 0;
  for (const MetricTable& table : tables) {
    for (const MetricInfo& row : table.rows) {
      const std::size_t fixed = fixed_part(row.name);
      if (best.row != nullptr && fixed <= longest) continue;
      if (!fits(row.name, exported)) continue;
      best.table = &table;
      best.row = &row;
      longest = fixed;
    }
  }
  if (best.row == nullptr) return std::nullopt;
  fits(best.row->name, exported, &best.words);
  std::ranges::reverse(best.words);
  return best;
}

}  // namespace xbind
