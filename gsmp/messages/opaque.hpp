// A message of an unsupported type: the header is decoded, the body kept unchanged. A switch
// answers such a request with failure 3. A dump still shows the message.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

struct Opaque {
  Header header;
  std::vector<std::byte> body;  // without the header's 12 octets; at most 65523

  friend bool operator==(const Opaque&, const Opaque&) = default;
};

void encode(const Opaque& message, wire::Writer& out);
Decoded<Opaque> decode_opaque(const Header& header, std::span<const std::byte> body);
std::string to_string(const Opaque& message);  // header in words, body in hex

}  // namespace xbind::gsmp
