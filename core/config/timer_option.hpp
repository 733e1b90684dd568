// Options that are durations: their table (core/durations.hpp) gives name, default and help.
#pragma once

#include <chrono>
#include <concepts>
#include <string>

#include "core/check.hpp"
#include "core/config/options.hpp"
#include "core/durations.hpp"

namespace xbind::config {

// The unit of an option of this name: its suffix, "-ms" or "-us".
constexpr Duration unit_of(std::string_view option_name) {
  return option_name.ends_with("-us") ? Duration{std::chrono::microseconds{1}}
                                      : Duration{std::chrono::milliseconds{1}};
}

inline void check_timer(const NamedDuration& row) {
  XB_CHECK(row.source == TimerSource::kOption, row.name);
  XB_CHECK(row.name.ends_with("-ms") || row.name.ends_with("-us"), row.name);
}

// The bounds are in the unit of the option's name.
template <std::unsigned_integral T>
void add_timer(OptionSet& set, const NamedDuration& row, T* target, UintBounds bounds) {
  check_timer(row);
  XB_CHECK(row.value % unit_of(row.name) == Duration::zero(), row.name);
  set.add_uint(std::string(row.name), target,
               static_cast<std::uint64_t>(row.value / unit_of(row.name)), bounds,
               std::string(row.guards));
}
inline void add_timer(OptionSet& set, const NamedDuration& row, double* target,
                      DoubleBounds bounds) {
  check_timer(row);
  set.add_double(
      std::string(row.name), target,
      static_cast<double>(row.value.count()) / static_cast<double>(unit_of(row.name).count()),
      bounds, std::string(row.guards));
}

}  // namespace xbind::config
