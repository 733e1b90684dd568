// Delete Tree (RFC 3292 section 4.3): deletes a connection with all its branches. A general
// connection message (connection_fields.hpp) of 56 octets that uses the input side only: the rest
// is sent as 0 and not read. Request, success and failure share one layout.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

struct DeleteTree {
  Header header{.type = MessageType::kDeleteTree};
  std::uint32_t port_session = 0;  // of the input port
  PortId input_port;
  LabelField input_label;

  friend bool operator==(const DeleteTree&, const DeleteTree&) = default;
};

void encode(const DeleteTree& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked.
Decoded<DeleteTree> decode_delete_tree(const Header& header, std::span<const std::byte> body);
std::string to_string(const DeleteTree& message);

}  // namespace xbind::gsmp
