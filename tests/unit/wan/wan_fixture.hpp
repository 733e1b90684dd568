// A WAN in virtual time for its tests: packets with numbers, and what is delivered when.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "wan/wan.hpp"

namespace xbind::wan {

inline constexpr std::size_t kA = 0, kB = 1;  // the sites of two_sites()

Address address(const std::string& text);
Pair pair_of(const std::string& from, const std::string& to);

// "a" with 10.78.1.1 and 10.78.1.2, "b" with 10.78.2.1; `rule` for each pair between them, both
// ways.
Network two_sites(const Rule& rule);

// A whole packet of `octets`, with its number in the payload.
Packet packet_of(const Pair& pair, std::size_t octets, std::uint32_t number = 0);
std::uint32_t number_of(const Packet& packet);

struct Delivered {
  TimePoint at;  // its deadline
  std::size_t site;
  Packet packet;

  friend bool operator==(const Delivered&, const Delivered&) = default;
};

// Delivers at each deadline up to `until`, and returns what came.
std::vector<Delivered> run(Wan& wan, TimePoint until);
std::vector<std::uint32_t> numbers_of(const std::vector<Delivered>& delivered);

inline TimePoint at(Duration since_start) { return TimePoint{since_start}; }

}  // namespace xbind::wan
