// Delete All Input Port and Delete All Output Port (RFC 3292 sections 4.5 and 4.6): delete every
// connection that enters at one port, or every branch that leaves at one port. General connection
// messages (connection_fields.hpp) of 56 octets that use the session number and one port only:
// Input Port in type 20, Output Port in type 21. The rest is sent as 0 and not read. Request,
// success and failure share one layout.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

struct DeleteAll {
  Header header{.type = MessageType::kDeleteAllInput};  // or kDeleteAllOutput
  std::uint32_t port_session = 0;                       // of `port`
  PortId port;

  friend bool operator==(const DeleteAll&, const DeleteAll&) = default;
};

void encode(const DeleteAll& message, wire::Writer& out);
// Refuses kTruncated.
Decoded<DeleteAll> decode_delete_all(const Header& header, std::span<const std::byte> body);
std::string to_string(const DeleteAll& message);

}  // namespace xbind::gsmp
