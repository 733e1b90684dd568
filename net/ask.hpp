// Sends one line of text to a peer and returns its one-line answer: the client of a control socket.
#pragma once

#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "net/tcp_client.hpp"

namespace xbind::net {

inline constexpr std::size_t kAnswerOctetsMax = 64U << 10;

// Blocks for at most `patience`. The answer has no end of line. kUnreachable: no connection, or
// closed without an answer. kTimeout. kProtocol: the answer has more than kAnswerOctetsMax.
Result<std::string> ask(const HostPort& peer, std::string_view line, Duration patience);
// The same at a Unix socket; `path` has at most kUnixPathMax octets (tcp_server.hpp).
Result<std::string> ask_at(const std::string& path, std::string_view line, Duration patience);

}  // namespace xbind::net
