// What goes before a PDU between two servers, in the spirit of the encapsulation of ITU-T I.364;
// the PDU itself stays as it is. The format is our own: Bellcore's, of TR-TSV-001059, is not
// public.
//
//   | version 4 bits: 1, kind 4 bits | hops 1 | ingress server 2 | PDU or message |
//
// Values only; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xbind::smds {

inline constexpr std::size_t kEnvelopeOctets = 4;
inline constexpr std::uint8_t kHopsFirst = 64;  // that a PDU may travel from its first server

enum class EnvelopeKind : std::uint8_t {
  kUserPdu = 0,
};

struct Envelope {
  EnvelopeKind kind = EnvelopeKind::kUserPdu;
  std::uint8_t hops = kHopsFirst;  // servers that may still pass it on
  std::uint16_t ingress = 0;       // id of the server where the PDU came in

  friend bool operator==(const Envelope&, const Envelope&) = default;
};

using EnvelopeImage = std::array<std::byte, kEnvelopeOctets>;

constexpr EnvelopeImage image_of(const Envelope& envelope) {
  return {std::byte{static_cast<std::uint8_t>(0x10 | static_cast<std::uint8_t>(envelope.kind))},
          std::byte{envelope.hops}, static_cast<std::byte>(envelope.ingress >> 8),
          static_cast<std::byte>(envelope.ingress & 0xff)};
}

// nullopt: too short, another version, or a kind that this version does not know.
constexpr std::optional<Envelope> read_envelope(std::span<const std::byte> octets) {
  if (octets.size() < kEnvelopeOctets || octets[0] != std::byte{0x10}) return std::nullopt;
  return Envelope{
      .kind = EnvelopeKind::kUserPdu,
      .hops = std::to_integer<std::uint8_t>(octets[1]),
      .ingress = static_cast<std::uint16_t>(std::to_integer<std::uint32_t>(octets[2]) << 8 |
                                            std::to_integer<std::uint32_t>(octets[3]))};
}

}  // namespace xbind::smds
