// XB_CHECK(condition, operands...): for conditions that only a bug of our own can break. Active in
// every build. Prints the condition and its operands, then aborts: a corrupt table is worse than a
// dead process, which the peers survive (docs/architecture.md, "Who knows what after a crash").
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace xbind {

[[noreturn]] void check_failed(std::string_view file, int line, std::string_view condition,
                               std::string_view names, const std::string& values);

namespace detail {
inline std::string join_operands() { return {}; }
template <class T, class... Rest>
std::string join_operands(const T& first, const Rest&... rest) {
  std::string text = fmt::format("{}", first);
  ((text += fmt::format("; {}", rest)), ...);
  return text;
}
}  // namespace detail

#define XB_CHECK(condition, ...)                                          \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::xbind::check_failed(__FILE__, __LINE__, #condition, #__VA_ARGS__, \
                            ::xbind::detail::join_operands(__VA_ARGS__)); \
  } while (false)

}  // namespace xbind
