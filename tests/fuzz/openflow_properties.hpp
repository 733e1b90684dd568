// Properties of the OpenFlow decoder that must hold for any octets. The mutation tests of unit_ovs
// check them in every run, and the fuzzer (README.md) for as long as it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace xbind::fuzz {

// Tests `octets` as one message. Returns nullopt, or the property that is broken:
// - The decoder returns a refusal that prints as one line of text, or a message.
// - A message that a struct holds completely encodes and decodes to the same message, and then to
//   the same octets. Excepted are types that are not decoded, and what is marked foreign.
std::optional<std::string> broken_by_openflow_message(std::span<const std::byte> octets);

// The same with the version and the length of the header corrected, which random octets rarely
// have.
std::optional<std::string> broken_by_openflow_body(std::span<const std::byte> octets);

// Tests `octets` as a stream: the messages in it must not depend on how it is cut into chunks.
std::optional<std::string> broken_by_openflow_stream(std::span<const std::byte> octets);

}  // namespace xbind::fuzz
