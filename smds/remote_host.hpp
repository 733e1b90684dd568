// `xbind-smds host`: a subscriber's end of its line, which sends PDUs and prints the received ones.
// Over a call it finds the labels of the server's call in the manager's list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "orb/daemon.hpp"
#include "smds/network.hpp"

namespace xbind::smds {

struct HostOptions {
  orb::CommonOptions common;  // its name is not used
  std::string manager;
  std::string network;  // a file
  std::string subscriber;
  std::string to;    // address; empty: sends nothing
  std::string from;  // source address; empty: the first one of the subscriber
  std::string text;
  std::uint32_t octets = 0;  // of information; 0: as the text is long
  std::uint32_t count = 0;
  std::uint32_t receive = 0;  // ends after that many PDUs
  std::uint32_t timeout_ms = 0;
  bool jumbo = false;
  std::vector<std::string> host_line_words;
  std::vector<std::string> udp_line_words;
};

// Returns the exit code: 0, or 1 when less than `receive` PDUs have come in time. Errors: no such
// subscriber, a line that is not among the options, or without a call in time.
Result<int> run_host(int argc, char** argv, const HostOptions& options, const Network& network);

}  // namespace xbind::smds
