#include "core/durations.hpp"

#include <fmt/format.h>

#include <utility>

namespace xbind {

std::string duration_text(Duration duration) {
  using namespace std::chrono;
  constexpr std::pair<Duration, const char*> kUnits[] = {
      {hours{1}, "h"},         {minutes{1}, "min"},     {seconds{1}, "s"},
      {milliseconds{1}, "ms"}, {microseconds{1}, "us"},
  };
  if (duration == Duration::zero()) return "0 s";
  for (const auto& [unit, name] : kUnits) {
    if (duration % unit == Duration::zero()) return fmt::format("{} {}", duration / unit, name);
  }
  return fmt::format("{} ns", duration.count());
}

}  // namespace xbind
