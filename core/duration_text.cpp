#include "core/duration_text.hpp"

#include <fmt/format.h>

namespace xbind {

std::string duration_text(double ns) {
  if (ns <= 0) return "-";
  if (ns < 1) return "<1 ns";
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  return fmt::format("{:.1f} us", ns / 1e3);
}

}  // namespace xbind
