// Name of an option's environment variable: XBIND_ and the option's name in upper case, hyphens as
// underscores.
#pragma once

#include <string>
#include <string_view>

namespace xbind::config {

inline std::string variable_of(std::string_view option) {
  std::string variable = "XBIND_";
  for (const char c : option) {
    const bool letter = c >= 'a' && c <= 'z';
    variable += c == '-' ? '_' : letter ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return variable;
}

}  // namespace xbind::config
