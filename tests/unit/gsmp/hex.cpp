#include "tests/unit/gsmp/hex.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/unit/source_dir.hpp"

namespace xbind::gsmp::test {

wire::Buffer from_hex(std::string_view text) {
  wire::Buffer octets;
  std::string digits;
  bool comment = false;
  for (const char letter : text) {
    comment = letter == '#' || (comment && letter != '\n');
    if (comment) continue;
    if (std::isxdigit(static_cast<unsigned char>(letter)) == 0) continue;
    digits += letter;
    if (digits.size() < 2) continue;
    octets.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return octets;
}

std::string to_hex(std::span<const std::byte> octets) {
  std::string text;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (i != 0 && i % 4 == 0) text += ' ';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(octets[i]));
  }
  return text;
}

std::string golden_path(const std::string& file) {
  return xbind::test::source_path("tests/golden/gsmp/" + file);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

wire::Buffer golden(const std::string& id) { return from_hex(read_text(golden_path(id + ".hex"))); }

wire::Buffer golden_message(const std::string& id) {
  wire::Buffer frame = golden(id);
  frame.erase(frame.begin(), frame.begin() + kFrameHeaderOctets);
  return frame;
}

std::vector<std::string> words_of(std::span<const std::byte> stream) {
  std::vector<std::string> words;
  FrameReader reader;
  const auto broken = reader.feed(stream, [&](std::span<const std::byte> message) {
    const auto decoded = decode(message);
    words.push_back(decoded ? to_string(*decoded) : to_string(decoded.error()));
    return true;
  });
  EXPECT_FALSE(broken) << to_string(*broken);
  return words;
}

std::vector<Message> messages_of(std::span<const std::byte> stream) {
  std::vector<Message> messages;
  FrameReader reader;
  const auto broken = reader.feed(stream, [&](std::span<const std::byte> message) {
    auto decoded = decode(message);
    EXPECT_TRUE(decoded) << to_string(decoded.error());
    if (decoded) messages.push_back(*std::move(decoded));
    return true;
  });
  EXPECT_FALSE(broken) << to_string(*broken);
  return messages;
}

}  // namespace xbind::gsmp::test
