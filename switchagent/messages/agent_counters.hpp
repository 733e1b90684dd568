// What an agent counts and reports.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gsmp/messages/failure_code.hpp"
#include "gsmp/messages/header.hpp"
#include "switchagent/messages/controller.hpp"

namespace xbind::switchagent {

struct AgentCounters {
  std::uint64_t requests = 0;
  std::uint64_t failures_sent = 0;
  std::uint64_t branches_added = 0;  // successful Add Branch messages
  std::uint64_t branches_deleted = 0;
  std::uint64_t dropped = 0;           // before ESTAB, of another version, or not for a switch
  std::uint64_t undecodable = 0;       // requests with an invalid header or body (failure 2)
  std::uint64_t refused = 0;           // by refuse_next
  std::uint64_t events_sent = 0;       // counted per controller
  std::uint64_t events_held = 0;       // detected, but held back or without a controller
  std::uint64_t receipts = 0;          // acknowledgements of events
  std::uint64_t refused_open = 0;      // refused with 19: too many open requests
  std::uint64_t answers_void = 0;      // answers of the table after the adjacency had ended
  std::uint64_t answers_unknown = 0;   // answers of the table to a ticket that was not open
  std::uint64_t adjacencies_up = 0;    // times that an adjacency was established
  std::uint64_t adjacencies_down = 0;  // times that an established one ended
  // By failure code: the failures sent.
  std::array<std::uint64_t, 256> failures_with{};
  // By message type: requests with a valid header, and the failures sent in answer.
  std::array<std::uint64_t, 256> requests_of{};
  std::array<std::uint64_t, 256> failures_of{};

  // A failure that answers a message whose type is not known.
  void count_failure(gsmp::FailureCode code) {
    ++failures_sent;
    ++failures_with[static_cast<std::uint8_t>(code)];
  }
  void count_failure(gsmp::FailureCode code, gsmp::MessageType type) {
    count_failure(code);
    ++failures_of[static_cast<std::uint8_t>(type)];
  }
};

// For the log.
struct AgentNotice {
  ControllerId controller;
  bool trouble = false;
  std::string text;
};

}  // namespace xbind::switchagent
