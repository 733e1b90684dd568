// A broken invariant of the logic ends a world, not the process: instead of core/check.cpp.
#include <fmt/format.h>

#include <stdexcept>

#include "core/check.hpp"

namespace xbind {

void check_failed(std::string_view file, int line, std::string_view condition,
                  std::string_view names, const std::string& values) {
  throw std::logic_error(
      fmt::format("{}:{}: expected {}; {} = {}", file, line, condition, names, values));
}

}  // namespace xbind
