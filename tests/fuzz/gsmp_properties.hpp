// What must hold of the GSMP decoder for any octets whatever. Held by the mutation tests of
// unit_gsmp in every run and by the fuzzer (README.md) for as long as one lets it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace xbind::fuzz {

// `octets` as one message without its frame header. Nothing, or which property is broken:
// - it is refused by a name, or it is a message that prints as one line of words;
// - what is understood is written and read again as the same message, and then as the same octets;
// - it does not grow by that, but for the Port of an All Ports request that came without;
// - the copy that answers a request with a failure is a message, with its true Length; in version 1.1,
//   which has none, it is whole.
std::optional<std::string> broken_by_message(std::span<const std::byte> octets);

// `octets` as a stream: the frames in it are the same however the stream is cut into chunks.
std::optional<std::string> broken_by_stream(std::span<const std::byte> octets);

}  // namespace xbind::fuzz
