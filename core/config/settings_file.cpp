#include "core/config/settings_file.hpp"

#include <algorithm>

namespace xbind::config {
namespace {

// Longest part of a line in a message: configuration lines are short.
constexpr std::size_t kShownMax = 60;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool nothing_but_comment(std::string_view text) {
  text = trim(text);
  return text.empty() || text.front() == '#';
}

// The end of an unquoted value: a '#' counts only at its start or after white space, so that
// "name = a#b" keeps its '#'.
std::size_t comment_start(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || blank(text[i - 1]))) return i;
  }
  return text.size();
}

Result<std::string> parse_value(std::string_view text, std::size_t line) {
  text = trim(text);
  if (text.empty() || text.front() != '"') {
    return std::string{trim(text.substr(0, comment_start(text)))};
  }
  const std::size_t end = text.find('"', 1);
  if (end == std::string_view::npos) {
    return fail(ErrorCode::kBadInput, "line {}: the quote in {} does not end", line,
                text.substr(0, kShownMax));
  }
  if (!nothing_but_comment(text.substr(end + 1))) {
    return fail(ErrorCode::kBadInput, "line {}: {} follows the closing quote", line,
                trim(text.substr(end + 1)).substr(0, kShownMax));
  }
  return std::string{text.substr(1, end - 1)};
}

}  // namespace

Result<std::vector<FileSetting>> parse_settings(std::string_view text) {
  std::vector<FileSetting> settings;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (nothing_but_comment(content)) continue;
    if (content.front() == '[') {
      return fail(ErrorCode::kBadInput, "line {}: sections are not known here: {}", line,
                  content.substr(0, kShownMax));
    }
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos || trim(content.substr(0, equals)).empty()) {
      return fail(ErrorCode::kBadInput, "line {}: expected name = value, found {}", line,
                  content.substr(0, kShownMax));
    }
    Result<std::string> value = parse_value(content.substr(equals + 1), line);
    if (!value) return tl::make_unexpected(std::move(value).error());
    settings.push_back({std::string{trim(content.substr(0, equals))}, std::move(*value), line});
  }
  return settings;
}

}  // namespace xbind::config
