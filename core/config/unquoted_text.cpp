#include "core/config/unquoted_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::config {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
// What a number out of range or with a mistake may be made of.
constexpr std::string_view kNumberCharacters = "0123456789+-._";

std::string_view trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string_view line_of(std::string_view file, std::size_t number) {
  for (; number > 1; --number) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) return {};
    file.remove_prefix(end + 1);
  }
  return file.substr(0, file.find('\n'));
}

}  // namespace

std::optional<std::string> with_quotes(std::string_view file, std::size_t number) {
  const std::string_view line = line_of(file, number);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(line.substr(0, equals));
  std::string_view value = line.substr(equals + 1);
  value = trim(value.substr(0, value.find(" #")));
  if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string_view::npos) {
    return std::nullopt;
  }
  if (value.find_first_not_of(kNumberCharacters) == std::string_view::npos) return std::nullopt;
  // Something of TOML, or what quotes alone do not mend.
  if (std::string_view("\"'[{#").find(value.front()) != std::string_view::npos ||
      value.find_first_of("\"\\") != std::string_view::npos) {
    return std::nullopt;
  }
  return fmt::format("{} = \"{}\"", name, value);
}

}  // namespace xbind::config
