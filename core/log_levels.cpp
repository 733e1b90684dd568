#include "core/log_levels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/name.hpp"

namespace xbind::log {
namespace {

constexpr std::string_view kDefault = "default";

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (text.empty() || found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

tl::unexpected<Error> no_level(std::string_view text) {
  return fail(ErrorCode::kBadInput, "the level '{}' is none of {}", printable(text),
              fmt::join(level_names(), ", "));
}

}  // namespace

const std::vector<std::string>& subsystem_names() {
  static const std::vector<std::string> names{"",         "calls", "routes", "labels",
                                              "sessions", "gsmp",  "orb",    "audit"};
  return names;
}

std::optional<Subsystem> subsystem_of(std::string_view text) {
  const auto place = place_of(subsystem_names(), text);
  return place ? std::optional(static_cast<Subsystem>(*place)) : std::nullopt;
}

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names{"debug", "info", "warn", "error", "off"};
  return names;
}

std::optional<Level> level_of(std::string_view text) {
  const auto place = place_of(level_names(), text);
  return place ? std::optional(static_cast<Level>(*place)) : std::nullopt;
}

const std::string& to_string(Level level) { return level_names()[static_cast<std::size_t>(level)]; }

std::string Levels::text() const {
  std::string text;
  for (std::size_t i = 1; i < kSubsystems; ++i) {
    if (own_[i]) text += fmt::format("{}={},", subsystem_names()[i], to_string(*own_[i]));
  }
  return text + to_string(all_);
}

Result<Levels> Levels::changed(std::string_view text, const Levels& started) const {
  Levels levels = *this;
  for (bool last = false; !last;) {
    const std::size_t comma = text.find(',');
    last = comma == std::string_view::npos;
    const std::string_view part = text.substr(0, comma);
    if (!last) text.remove_prefix(comma + 1);
    const std::size_t sign = part.find('=');
    if (sign == std::string_view::npos) {
      const auto level = level_of(part);
      if (part == kDefault) {
        levels = started;
      } else if (level) {
        levels.all_ = *level;
      } else {
        return no_level(part);
      }
      continue;
    }
    const auto subsystem = subsystem_of(part.substr(0, sign));
    if (!subsystem) {
      const auto& names = subsystem_names();
      return fail(ErrorCode::kBadInput, "the subsystem '{}' is none of {}",
                  printable(part.substr(0, sign)), fmt::join(names.begin() + 1, names.end(), ", "));
    }
    const std::string_view name = part.substr(sign + 1);
    const auto level = level_of(name);
    if (!level && name != kDefault) return no_level(name);
    levels.own_[static_cast<std::size_t>(*subsystem)] = level;
  }
  return levels;
}

}  // namespace xbind::log
