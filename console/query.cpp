#include "console/query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/name.hpp"

namespace xbind::console {
namespace {

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

tl::unexpected<Problem> bad_target(std::string_view target, const char* why) {
  return tl::make_unexpected(Problem{.status = 400,
                                     .name = "bad-target",
                                     .detail = fmt::format("{}: '{}'", why, printable(target)),
                                     .value = std::string{target}});
}

// The parts between the separators; an empty text has none.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus) {
      decoded += ' ';
    } else if (text[at] != '%') {
      decoded += text[at];
    } else {
      const int high = at + 2 < text.size() ? hex_of(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_of(text[at + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  return decoded;
}

tl::expected<Target, Problem> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return bad_target(target, "the target is no path");
  const std::size_t question = std::min(target.find('?'), target.size());
  Target parsed;
  for (const std::string_view part : parts_of(target.substr(1, question - 1), '/')) {
    const auto step = percent_decoded(part, false);
    if (!step || step->empty()) return bad_target(target, "a step of the path is malformed");
    parsed.steps.push_back(*step);
  }
  const auto parts = parts_of(target.substr(std::min(question + 1, target.size())), '&');
  if (parts.size() > kParametersMax) return bad_target(target, "there are too many parameters");
  for (const std::string_view part : parts) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto name = percent_decoded(part.substr(0, equals), true);
    const auto value = percent_decoded(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value || name->empty()) return bad_target(target, "a parameter is malformed");
    if (!parsed.parameters.emplace(*name, *value).second) {
      return bad_target(target, "a parameter is given twice");
    }
  }
  return parsed;
}

std::optional<std::uint64_t> digits_of(std::string_view text, std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > max) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> Parameters::take(const std::string& name) {
  const auto found = left_.find(name);
  if (found == left_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  left_.erase(found);
  return value;
}

void Parameters::refuse(const std::string& name, const std::string& value, const std::string& why) {
  if (first_) return;
  first_ = Problem{.status = 400,
                   .name = "bad-parameter",
                   .detail = fmt::format("{}: '{}' {}", name, printable(value), why),
                   .value = value};
}

std::string Parameters::text(const std::string& name, std::string otherwise) {
  return take(name).value_or(std::move(otherwise));
}

std::uint64_t Parameters::number(const std::string& name, std::uint64_t otherwise,
                                 std::uint64_t max) {
  const auto value = take(name);
  if (!value) return otherwise;
  const auto number = digits_of(*value, max);
  if (!number) refuse(name, *value, fmt::format("is no whole number up to {}", max));
  return number.value_or(otherwise);
}

bool Parameters::flag(const std::string& name) {
  const auto value = take(name);
  if (!value || *value == "false") return false;
  if (*value != "true") refuse(name, *value, "is neither true nor false");
  return true;
}

std::size_t Parameters::choice(const std::string& name, const std::vector<std::string>& words) {
  const auto value = take(name);
  if (!value) return 0;
  const auto found = std::ranges::find(words, *value);
  if (found == words.end()) {
    refuse(name, *value, fmt::format("is none of: {}", fmt::join(words, ", ")));
    return 0;
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::optional<Problem> Parameters::problem() const {
  if (first_ || left_.empty()) return first_;
  const auto& [name, value] = *left_.begin();
  return Problem{.status = 400,
                 .name = "unknown-parameter",
                 .detail = fmt::format("'{}' is no parameter here", printable(name)),
                 .value = name + "=" + value};
}

}  // namespace xbind::console
