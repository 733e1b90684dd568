// Octets as text: pairs of hexadecimal digits with any blanks and line ends between them. "#"
// begins a comment up to the end of its line. An empty line separates messages.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/writer.hpp"

namespace xbind::gsmpdump {

// kBadInput: a character that is no digit (the error text has it and its line), or half an octet at
// the end of a message.
Result<std::vector<wire::Buffer>> parse_hex(std::string_view text);

}  // namespace xbind::gsmpdump
