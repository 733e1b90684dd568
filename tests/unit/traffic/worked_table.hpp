// The worked examples in docs/qos.md: tables of quantity and value under
// "### Worked example: NAME".
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "core/read_file.hpp"
#include "tests/unit/source_dir.hpp"

namespace xbind {

inline std::map<std::string, std::uint64_t> worked_table(const std::string& name) {
  const auto text = read_file(test::source_path("docs/qos.md"), 1u << 20);
  std::map<std::string, std::uint64_t> found;
  if (!text) return found;
  std::istringstream lines(*text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) inside = line == "### Worked example: " + name;
    if (!inside || !line.starts_with("| ")) continue;
    const std::size_t first = line.find(" | ");
    const std::size_t second = line.find(" | ", first + 1);
    if (second == std::string::npos) continue;
    const std::string value = line.substr(first + 3, second - first - 3);
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) continue;
    found[line.substr(2, first - 2)] = std::stoull(value);
  }
  return found;
}

}  // namespace xbind
