#include "xbindctl/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/name.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kLineOctetsMax = 4'096;
constexpr std::size_t kCellOctetsMax = 160;  // "host-a -> host-b" of two longest names

}  // namespace

int explain(const std::string& text) {
  std::fprintf(stderr, "xbindctl: %s\n", printable(text, kLineOctetsMax).c_str());
  return 1;
}

void say(const std::string& line) { std::printf("%s\n", printable(line, kLineOctetsMax).c_str()); }

std::string counted(std::uint64_t count, const std::string& one, const std::string& ending) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : ending);
}

void print_table(std::size_t word_columns, std::vector<Row> rows) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable(cell, kCellOctetsMax);
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) line += "  ";
      line += i < word_columns ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]);
    }
    say(line);
  }
}

}  // namespace xbind::ctl
