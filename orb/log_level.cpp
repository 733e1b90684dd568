#include "orb/log_level.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log_output.hpp"
#include "core/name.hpp"
#include "types.hh"

namespace xbind::orb {

void set_log_level(const char* level) {
  const auto wanted = log::level_of(level);
  if (!wanted) {
    throw v2::BadRequest(fmt::format("the level '{}' is none of {}", printable(level),
                                     fmt::join(log::level_names(), ", "))
                             .c_str());
  }
  // The change is logged where either level shows it.
  log::info("an operator sets the log level to {}", level);
  if (log::enabled(log::Level::kInfo)) return log::set_level(*wanted);
  log::set_level(*wanted);
  log::info("an operator has set the log level to {}", level);
}

}  // namespace xbind::orb
