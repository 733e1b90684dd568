// "did you mean": the known name that a misspelt one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace xbind::config {

// Returns the known name with the fewest inserted, deleted or replaced characters (the first of
// several). Returns nullopt when even that name differs in more than two characters and in more
// than a third of `typed`.
std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> known);

}  // namespace xbind::config
