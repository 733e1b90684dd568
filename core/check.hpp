// XB_CHECK(condition, operands...): for conditions that only a bug of this program can break; input
// of peers and operators needs a Result. Active in every build. If `condition` is false, prints it
// and the operands on standard error and aborts: a corrupt table is worse than a dead process, and
// the peers survive a dead process (docs/architecture.md, "Who knows what after a crash").
//
// Operands need a formatter of fmt. They are evaluated only after a failure, `condition` once.
// XB_CHECK(false) marks code that cannot be reached, and needs no return after it. Any thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace xbind {

// Called by XB_CHECK only. `names`: the source text of the operands, separated by commas; `values`:
// their values, separated by semicolons; both empty without operands. The simulation links a
// version that throws std::logic_error (tests/sim/broken_check.cpp).
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
