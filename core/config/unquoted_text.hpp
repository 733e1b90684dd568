// Text without quotes is the usual mistake in a TOML file: `engine = sequential`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace xbind::config {

// How line `number` (from 1) of a file that is not TOML should be written, if it is `name = text`
// without quotes: `engine = "sequential"`. Nothing: something else is the matter with the line.
std::optional<std::string> with_quotes(std::string_view file, std::size_t number);

}  // namespace xbind::config
