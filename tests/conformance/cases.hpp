// The exchanges that a switch has to pass, by name. Each is a story: requests, the answers they have
// to get, and what the switch then says of its table, its ports and its counters.
#pragma once

#include <vector>

#include "tests/conformance/controller.hpp"

namespace xbind::conformance {

struct Case {
  const char* name;
  bool version_1;  // also in version 1.1
  // `c` is established and prepared: no connections of ours, its ports Available.
  void (*run)(Controller& c);
  // What it does is done to whole ports: it is left out where others have connections at them.
  bool whole_ports = false;
};

const std::vector<Case>& connection_cases();  // RFC 3292 sections 4 and 5
const std::vector<Case>& move_cases();        // sections 4.3 to 4.9
const std::vector<Case>& port_cases();        // sections 6 and 9
const std::vector<Case>& state_cases();       // sections 7 and 8
const std::vector<Case>& message_cases();     // sections 3 and 11: what every message has to obey

}  // namespace xbind::conformance
