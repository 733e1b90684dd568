// Reads packets from a capture file or a network interface, with libpcap.
#pragma once

#include <string>

#include "core/result.hpp"
#include "gsmp/gsmpdump/conversations.hpp"

namespace xbind::gsmpdump {

// Returns whether a file with this beginning is a pcap or pcapng file.
bool is_capture(std::string_view beginning);

// Reads to the end of the file. kSystem: the file cannot be opened or read. kBadInput: an unknown
// link layer, or a damaged file (packets before the damage have been processed).
Result<void> read_capture(const std::string& path, Conversations& conversations);

// Captures until SIGINT or SIGTERM. kSystem: no such interface, or no permission to capture on it.
Result<void> listen_to(const std::string& interface, std::uint16_t port,
                       Conversations& conversations);

}  // namespace xbind::gsmpdump
