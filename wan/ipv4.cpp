#include "wan/ipv4.hpp"

#include <fmt/format.h>

#include <charconv>

namespace xbind::wan {
namespace {

constexpr std::array<std::string_view, kDrops> kReasons{
    "empty",      "ipv6",      "not-ipv4",       "truncated",      "bad-header",
    "above-mtu",  "fragment",  "foreign-source", "no-destination", "no-path",
    "queue-full", "held-most", "lost",           "device"};

constexpr std::uint32_t kMoreFragments = 0x2000;
constexpr std::uint32_t kFragmentOffset = 0x1fff;

std::uint32_t octet(std::span<const std::byte> octets, std::size_t at) {
  return std::to_integer<std::uint32_t>(octets[at]);
}
std::uint32_t u16_at(std::span<const std::byte> octets, std::size_t at) {
  return octet(octets, at) << 8 | octet(octets, at + 1);
}
std::uint32_t u32_at(std::span<const std::byte> octets, std::size_t at) {
  return u16_at(octets, at) << 16 | u16_at(octets, at + 2);
}

}  // namespace

std::string_view to_string(Drop reason) { return kReasons[static_cast<std::size_t>(reason)]; }

Result<Address> parse_address(std::string_view text) {
  std::uint32_t value = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at == end || *at++ != '.')) break;
    std::uint32_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number > 255 || next - at > 3 || (next - at > 1 && *at == '0')) {
      break;
    }
    value = value << 8 | number;
    at = next;
    if (part < 3 || at != end) continue;
    const std::uint32_t network = value >> 24;
    if (network == 0 || network == 127 || network >= 224) {
      return fail(ErrorCode::kBadInput, "'{}' is not the address of a host", text);
    }
    return Address{value};
  }
  return fail(ErrorCode::kBadInput, "'{}' is no IPv4 address", text);
}

std::string to_string(Address address) {
  const std::uint32_t value = address.value;
  return fmt::format("{}.{}.{}.{}", value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255);
}

std::uint16_t ipv4_checksum(std::span<const std::byte> header) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + 1 < header.size(); at += 2) sum += u16_at(header, at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

tl::expected<Pair, Drop> read_packet(std::span<const std::byte> packet, std::size_t mtu) {
  const auto refuse = [](Drop reason) { return tl::make_unexpected(reason); };
  if (packet.empty()) return refuse(Drop::kEmpty);
  const std::uint32_t version = octet(packet, 0) >> 4;
  if (version == 6) return refuse(Drop::kIpv6);
  if (version != 4) return refuse(Drop::kNotIpv4);
  if (packet.size() < kIpv4HeaderOctets) return refuse(Drop::kTruncated);
  const std::size_t header = std::size_t{octet(packet, 0) & 15} * 4;
  const std::size_t total = u16_at(packet, 2);
  if (packet.size() < header || packet.size() < total) return refuse(Drop::kTruncated);
  if (header < kIpv4HeaderOctets || total < header || packet.size() > total ||
      ipv4_checksum(packet.first(header)) != 0) {
    return refuse(Drop::kBadHeader);
  }
  if (total > mtu) return refuse(Drop::kAboveMtu);
  if ((u16_at(packet, 6) & (kMoreFragments | kFragmentOffset)) != 0) {
    return refuse(Drop::kFragment);
  }
  return Pair{Address{u32_at(packet, 12)}, Address{u32_at(packet, 16)}};
}

}  // namespace xbind::wan
