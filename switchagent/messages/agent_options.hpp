// What an agent is configured with. Set once; read by the agent and by the message handlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::switchagent {

struct AgentOptions {
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;  // Sender Port of the adjacency
  std::uint8_t timer = gsmp::kAdjacencyPeriod;
  std::uint8_t partition = 0;                // if not 0: assigned to every controller
  std::vector<std::uint8_t> versions{3, 1};  // the highest first: {3, 1}, {3} or {1}
  bool recovered = false;       // after a hot restart: the first adjacency is offered with PFlag 2
  bool return_receipt = false;  // events request an acknowledgement (version 3)
  bool region_model = false;    // offers MType 201, "xbind-sr"
  std::uint16_t window = 256;   // limit of one controller's open requests
  std::size_t open_requests_max = 4096;  // total limit, including requests of ended adjacencies
  std::uint16_t firmware_version = 0x0100;
  std::uint16_t switch_type = 0x5842;  // "XB"
  std::size_t controllers_max = 16;
  std::size_t response_octets_max = gsmp::kSentOctetsMax;  // longer answers are split
  // Limit of answers not yet taken by the owner; a controller beyond it is disconnected.
  std::size_t output_octets_max = 64U << 20;
};

}  // namespace xbind::switchagent
