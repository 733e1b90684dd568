#include "tests/unit/ovs/openflow/golden.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/source_dir.hpp"

namespace xbind::ovs::openflow::test {
namespace {

constexpr std::size_t kLineOctets = 32;

std::string golden_path(const std::string& file) {
  return xbind::test::source_path("tests/golden/openflow/" + file);
}

}  // namespace

wire::Buffer from_hex(std::string_view text) {
  wire::Buffer octets;
  std::string digits;
  bool comment = false;
  for (const char letter : text) {
    comment = letter == '#' || (comment && letter != '\n');
    if (comment || std::isxdigit(static_cast<unsigned char>(letter)) == 0) continue;
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
    if (i % kLineOctets == 0 && i != 0) text += '\n';
    if (i % kLineOctets != 0 && i % 4 == 0) text += ' ';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(octets[i]));
  }
  return text;
}

wire::Buffer golden(const std::string& id) {
  std::ifstream file(golden_path(id + ".hex"));
  EXPECT_TRUE(file) << id;
  std::stringstream text;
  text << file.rdbuf();
  return from_hex(text.str());
}

void rewrite_golden(const std::string& id, std::span<const std::byte> octets) {
  std::ofstream(golden_path(id + ".hex")) << to_hex(octets) << '\n';
}

std::vector<std::string> golden_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(golden_path(""))) {
    if (entry.path().extension() == ".hex") ids.push_back(entry.path().stem());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

wire::Buffer encoded(const Body& body, std::uint32_t xid) {
  wire::Buffer out;
  std::visit(
      [&](const auto& message) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(message)>, Unknown>)
          encode(message, xid, out);
      },
      body);
  return out;
}

wire::Buffer with_length(wire::Buffer message) {
  finish_message(0, message);
  return message;
}

}  // namespace xbind::ovs::openflow::test
