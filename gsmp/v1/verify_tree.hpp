// Verify Tree (RFC 1987 section 3.4), in version 1.1 only: checks the number of branches of a
// connection. If it differs, the answer is failure kGeneral with the actual number. connections.hpp
// shows the layout of the 32 octets; of the output side only Number of Branches is used.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

struct VerifyTree {
  Header header{.version = 1, .type = MessageType::kVerifyTree};
  std::uint32_t port_session = 0;  // of the input port
  PortId input_port;
  LabelField input_label;
  std::uint16_t branches = 0;  // expected; in a failure: actual

  friend bool operator==(const VerifyTree&, const VerifyTree&) = default;
};

std::string to_string(const VerifyTree& message);

}  // namespace xbind::gsmp
