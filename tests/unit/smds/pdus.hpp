// PDUs and networks for the tests of smds/.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "smds/l3_pdu.hpp"
#include "smds/network_file.hpp"

namespace xbind::smds {

inline Address address(std::string_view text) { return Address::parse(text).value(); }

inline wire::Buffer pdu_of(std::string_view from, std::string_view to, std::size_t octets = 5,
                           std::uint8_t tag = 1) {
  wire::Buffer pdu;
  const wire::Buffer information(octets, std::byte{0x5a});
  EXPECT_TRUE(write_pdu({.destination = address(to), .source = address(from), .be_tag = tag},
                        information, {.information_max = kJumboInformationMax}, pdu));
  return pdu;
}

inline Network network_of(const std::string& text) {
  auto network = parse_network(text, "net.toml");
  EXPECT_TRUE(network) << network.error().text;
  return network ? *network : Network{};
}

// Four servers in a ring, s1 - s2 - s3 - s4 - s1, with two subscribers each: C11 and C12 at s1, and
// so on. C9... belongs to s3.
inline std::string ring_of_four(std::string_view more = {}, std::string_view trunk = {}) {
  std::string text;
  const auto number = [](int value) { return std::to_string(value); };
  for (int server = 1; server <= 4; ++server) {
    const std::string name = "s" + number(server);
    text += "[[server]]\nname = \"" + name + "\"\nid = " + number(server * 10) +
            "\nendpoint = \"node-" + number(server) + "\"\n";
    text += "[[trunk]]\nbetween = [\"" + name + "\", \"s" + number(server % 4 + 1) + "\"]\n" +
            std::string(trunk) + "\n";
    for (int at = 1; at <= 2; ++at) {
      text += "[[subscriber]]\nname = \"" + std::string(at == 1 ? "a" : "b") + number(server) +
              "\"\nserver = \"" + name + "\"\nendpoint = \"host-" + number(server * 10 + at) +
              "\"\naddresses = [\"C" + number(server * 10 + at) + "\"]\n";
    }
  }
  text += "[[prefix]]\nprefix = \"C9\"\nserver = \"s3\"\n";
  return text + std::string(more);
}

}  // namespace xbind::smds
