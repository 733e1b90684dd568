// Switch Configuration (RFC 3292 section 8.1), 32 octets, one layout for request and answers. It
// precedes the first connection message and settles the traffic model (MType) and the window.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |     MType     |     MType     |     MType     |     MType     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Firmware Version        |          Window Size          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |          Switch Type          |                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+   Switch Name (48 bits)       +
// |                                                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                       Max Reservations                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

struct SwitchConfiguration {
  Header header{.type = MessageType::kSwitchConfiguration};
  // Request: the wanted model and zeros. Response: that model or 0, then up to three offers.
  std::array<std::uint8_t, 4> model_types{};
  std::uint16_t firmware_version = 0;
  std::uint16_t window = 0;  // outstanding requests that the switch accepts without loss; 0: no
                             // hint
  std::uint16_t switch_type = 0;
  std::uint64_t switch_name = 0;  // 48 bits, the name of the adjacency
  std::uint32_t max_reservations = 0;

  friend bool operator==(const SwitchConfiguration&, const SwitchConfiguration&) = default;
};

void encode(const SwitchConfiguration& message, wire::Writer& out);
// Refuses kTruncated.
Decoded<SwitchConfiguration> decode_switch_configuration(const Header& header,
                                                         std::span<const std::byte> body);
std::string to_string(const SwitchConfiguration& message);

}  // namespace xbind::gsmp
