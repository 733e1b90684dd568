#include "core/config/text_form.hpp"

#include <regex.h>

#include "core/check.hpp"

namespace xbind::config {

std::optional<std::vector<std::string>> parts_of(const std::string& text, const std::string& form) {
  regex_t compiled;
  XB_CHECK(regcomp(&compiled, ("^(" + form + ")$").c_str(), REG_EXTENDED) == 0, form);
  std::vector<regmatch_t> found(compiled.re_nsub + 1);
  const bool matches = text.find('\0') == std::string::npos &&
                       regexec(&compiled, text.c_str(), found.size(), found.data(), 0) == 0;
  regfree(&compiled);
  if (!matches) return std::nullopt;
  std::vector<std::string> parts;
  for (std::size_t i = 2; i < found.size(); ++i) {  // 0 and 1 are the whole text
    const bool there = found[i].rm_so >= 0;
    parts.push_back(there ? text.substr(static_cast<std::size_t>(found[i].rm_so),
                                        static_cast<std::size_t>(found[i].rm_eo - found[i].rm_so))
                          : std::string{});
  }
  return parts;
}

}  // namespace xbind::config
