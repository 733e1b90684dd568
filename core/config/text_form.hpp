// Texts of a given form, for options with several parts in one value.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xbind::config {

// The parts in parentheses of `form`, a POSIX extended regular expression, if all of `text` has
// that form; a part that is not there is empty. `form` must be correct (XB_CHECK). POSIX and not
// <regex>, which takes the compiler six seconds wherever it is used. A text with a NUL has no form.
std::optional<std::vector<std::string>> parts_of(const std::string& text, const std::string& form);

}  // namespace xbind::config
