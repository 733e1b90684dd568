// toml++ itself is compiled here, and only here.
#define TOML_IMPLEMENTATION
#include "core/config/toml_reader.hpp"

#include "core/config/unquoted_text.hpp"

namespace xbind::config {

Result<toml::table> parse_toml(std::string_view text, const std::string& path,
                               std::size_t octets_max) {
  if (text.size() > octets_max) {
    return fail(ErrorCode::kBadInput, "{} is longer than {} octets", path, octets_max);
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const toml::source_index line = error.source().begin.line;
    // A name that comes twice is a mistake in another line than its value's.
    const bool twice = error.description().find("cannot redefine") != std::string_view::npos;
    const auto meant = twice ? std::nullopt : with_quotes(text, line);
    const std::string reason =
        fmt::format("{}{}", error.description(), meant ? "; text needs quotes: " + *meant : "");
    return fail(ErrorCode::kBadInput, "{} line {}: not TOML: {}", path, line,
                printable(reason, kRefusalOctetsMax));
  }
  return std::move(parsed).table();
}

}  // namespace xbind::config
