// toml++ itself is compiled here, and only here.
#define TOML_IMPLEMENTATION
#include "core/config/toml_reader.hpp"

#include "core/config/unquoted_text.hpp"

namespace xbind::config {
namespace {

// toml++ quotes the file at the end of a sentence: "..., saw 'x'", "cannot redefine existing string
// 'root'".
std::string_view without_quotation(std::string_view description) {
  description = description.substr(0, description.find('\''));
  for (const std::string_view end : {" ", " saw", ",", ";"}) {
    if (description.ends_with(end)) description.remove_suffix(end.size());
  }
  return description;
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, const std::string& path,
                               std::size_t octets_max, Quoting quoting) {
  if (text.size() > octets_max) {
    return fail(ErrorCode::kBadInput, "{} is longer than {} octets", path, octets_max);
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const toml::source_index line = error.source().begin.line;
    if (quoting == Quoting::kNo) {
      return fail(ErrorCode::kBadInput, "{} line {}: not TOML: {}", path, line,
                  without_quotation(error.description()));
    }
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
