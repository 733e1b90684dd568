#include "core/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace xbind {

void check_failed(std::string_view file, int line, std::string_view condition,
                  std::string_view names, const std::string& values) {
  const std::string operands =
      names.empty() ? std::string{} : fmt::format("; {} = {}", names, values);
  fmt::print(stderr, "{}:{}: expected {}{}\n", file, line, condition, operands);
  std::fflush(stderr);
  std::abort();
}

}  // namespace xbind
