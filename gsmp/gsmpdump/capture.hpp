// Packets out of a capture file or from a network interface, by libpcap.
#pragma once

#include <string>

#include "core/result.hpp"
#include "gsmp/gsmpdump/conversations.hpp"

namespace xbind::gsmpdump {

// The file begins as a pcap or pcapng file does.
bool is_capture(std::string_view beginning);

// To the end of the file. kSystem: it cannot be opened or read; kBadInput: of a link layer that is
// not known here, or broken in the middle (what came before has been handed on).
Result<void> read_capture(const std::string& path, Conversations& conversations);

// Until SIGINT or SIGTERM. kSystem: no such interface, or no right to listen to it.
Result<void> listen_to(const std::string& interface, std::uint16_t port,
                       Conversations& conversations);

}  // namespace xbind::gsmpdump
