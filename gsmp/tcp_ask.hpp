// One line of text to a peer, one line back: how an operator speaks to a control socket.
#pragma once

#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "gsmp/tcp_transport.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kAnswerOctetsMax = 64U << 10;

// Blocks, `patience` at most. The answer has no end of line. kUnreachable: nobody there, or closed
// without an answer; kTimeout; kProtocol: an answer of more than kAnswerOctetsMax.
Result<std::string> ask(const HostPort& peer, std::string_view line, Duration patience);

}  // namespace xbind::gsmp
