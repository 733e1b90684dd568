// Properties of the GSMP decoder that must hold for any octets. The mutation tests of unit_gsmp
// check them in every run, and the fuzzer (README.md) for as long as it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace xbind::fuzz {

// Tests `octets` as one message without its frame header. Returns nullopt, or the property that is
// broken:
// - The decoder returns a refusal with a name, or a message that prints as one line of text.
// - An accepted message encodes and decodes to the same message, and then to the same octets.
// - It does not grow by that, except by the Port of an All Ports request that lacked it.
// - The copy that answers a request with a failure is a message with its true Length. In version
//   1.1, which has no Length, the copy is complete.
std::optional<std::string> broken_by_message(std::span<const std::byte> octets);

// Tests `octets` as a stream: the frames in it must not depend on how it is cut into chunks.
std::optional<std::string> broken_by_stream(std::span<const std::byte> octets);

}  // namespace xbind::fuzz
