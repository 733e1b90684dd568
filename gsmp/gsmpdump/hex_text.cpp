#include "gsmp/gsmpdump/hex_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace xbind::gsmpdump {
namespace {

std::optional<unsigned> digit(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a' + 10);
  if (letter >= 'A' && letter <= 'F') return static_cast<unsigned>(letter - 'A' + 10);
  return std::nullopt;
}

bool blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

}  // namespace

Result<std::vector<wire::Buffer>> parse_hex(std::string_view text) {
  std::vector<wire::Buffer> messages;
  wire::Buffer message;
  std::optional<unsigned> half;
  std::size_t number = 0;
  const auto finish = [&]() -> Result<void> {
    if (half) return fail(ErrorCode::kBadInput, "half an octet before line {}", number + 1);
    if (!message.empty()) messages.push_back(std::exchange(message, {}));
    return {};
  };
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::all_of(whole.begin(), whole.end(), blank)) {
      --number;
      if (auto finished = finish(); !finished) return tl::make_unexpected(finished.error());
      ++number;
      continue;
    }
    for (const char letter : whole.substr(0, whole.find('#'))) {
      if (blank(letter)) continue;
      const auto value = digit(letter);
      if (!value) {
        return fail(ErrorCode::kBadInput, "'{}' in line {} is no hexadecimal digit", letter,
                    number);
      }
      if (!half) {
        half = value;
      } else {
        message.push_back(static_cast<std::byte>(*std::exchange(half, std::nullopt) << 4 | *value));
      }
    }
  }
  if (auto finished = finish(); !finished) return tl::make_unexpected(finished.error());
  return messages;
}

}  // namespace xbind::gsmpdump
