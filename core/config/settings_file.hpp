// The text of a configuration file: one `name = value` a line.
//
//   # a whole-line comment
//   hop-timeout-ms = 2000        # a comment after white space
//   name = "with # and blanks "  # quoted: taken as it stands, no escapes
//
// Has no list of options: OptionSet (options.hpp) checks names and values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace xbind::config {

struct FileSetting {
  std::string name;
  std::string value;
  std::size_t line = 0;  // from 1
};

// Returns the settings in file order; a name may occur more than once. kBadInput with "line N:
// ...": a line that is neither blank, comment nor setting, a [section], or a quote that does not
// end.
Result<std::vector<FileSetting>> parse_settings(std::string_view text);

}  // namespace xbind::config
