#include "tests/unit/wan/wan_fixture.hpp"

#include <algorithm>

namespace xbind::wan {
namespace {

void put(Packet& packet, std::size_t at, std::size_t octets, std::uint64_t value) {
  for (std::size_t index = 0; index < octets; ++index) {
    packet[at + index] = static_cast<std::byte>(value >> 8 * (octets - 1 - index));
  }
}

}  // namespace

Address address(const std::string& text) { return parse_address(text).value(); }
Pair pair_of(const std::string& from, const std::string& to) {
  return {address(from), address(to)};
}

Network two_sites(const Rule& rule) {
  Network network;
  network.sites = {{"a", "wan-a", "wan0", {address("10.78.1.1"), address("10.78.1.2")}, {}, {}},
                   {"b", "wan-b", "wan0", {address("10.78.2.1")}, {}, {}}};
  for (const Address one : network.sites[kA].addresses) {
    for (const Address other : network.sites[kB].addresses) {
      network.rules[{one, other}] = rule;
      network.rules[{other, one}] = rule;
    }
  }
  return network;
}

Packet packet_of(const Pair& pair, std::size_t octets, std::uint32_t number) {
  Packet packet(std::max(octets, kIpv4HeaderOctets + 4));
  put(packet, 0, 1, 0x45);
  put(packet, 2, 2, packet.size());
  put(packet, 8, 2, 64 << 8 | 17);
  put(packet, 12, 4, pair.from.value);
  put(packet, 16, 4, pair.to.value);
  put(packet, 10, 2, ipv4_checksum(std::span(packet).first(kIpv4HeaderOctets)));
  put(packet, kIpv4HeaderOctets, 4, number);
  return packet;
}

std::uint32_t number_of(const Packet& packet) {
  std::uint32_t number = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    number = number << 8 | std::to_integer<std::uint32_t>(packet[kIpv4HeaderOctets + index]);
  }
  return number;
}

std::vector<Delivered> run(Wan& wan, TimePoint until) {
  std::vector<Delivered> delivered;
  for (TimePoint due = wan.next_deadline(); due <= until; due = wan.next_deadline()) {
    wan.deliver(due, 16, [&](std::size_t site, std::span<const std::byte> packet) {
      delivered.push_back({due, site, Packet(packet.begin(), packet.end())});
      return true;
    });
  }
  return delivered;
}

std::vector<std::uint32_t> numbers_of(const std::vector<Delivered>& delivered) {
  std::vector<std::uint32_t> numbers;
  for (const Delivered& one : delivered) numbers.push_back(number_of(one.packet));
  return numbers;
}

}  // namespace xbind::wan
