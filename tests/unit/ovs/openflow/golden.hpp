// Octets as hexadecimal text, and the messages of tests/golden/openflow.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/messages.hpp"

namespace xbind::ovs::openflow::test {

// Skips spaces, line ends, and the rest of a line after '#'.
wire::Buffer from_hex(std::string_view text);

std::string to_hex(std::span<const std::byte> octets);

// The octets of tests/golden/openflow/ID.hex; a failure of the test if there is no such file.
wire::Buffer golden(const std::string& id);
// Writes ID.hex.
void rewrite_golden(const std::string& id, std::span<const std::byte> octets);
// Every ID.hex of the folder, sorted.
std::vector<std::string> golden_ids();

// Of a struct of Body; Unknown has no encoding.
wire::Buffer encoded(const Body& body, std::uint32_t xid);

template <class M>
wire::Buffer encoded_one(const M& message, std::uint32_t xid = 1) {
  wire::Buffer out;
  encode(message, xid, out);
  return out;
}

// Sets the length in the header of a message that was changed.
wire::Buffer with_length(wire::Buffer message);

}  // namespace xbind::ovs::openflow::test
