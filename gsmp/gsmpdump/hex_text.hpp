// Octets as people write them: pairs of hexadecimal digits, blanks and line ends between them as one
// likes, "#" up to the end of its line is a comment. An empty line ends one message and begins the
// next.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/writer.hpp"

namespace xbind::gsmpdump {

// kBadInput: something else than a digit (the text names it and its line), or half an octet at the
// end of a message.
Result<std::vector<wire::Buffer>> parse_hex(std::string_view text);

}  // namespace xbind::gsmpdump
