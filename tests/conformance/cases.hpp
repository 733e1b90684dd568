// The exchanges that a switch has to pass, by name. Each sends requests and checks the answers, and
// then the table, ports and counters that the switch reports.
#pragma once

#include <vector>

#include "tests/conformance/controller.hpp"

namespace xbind::conformance {

// A feature of a switch and its transport that some cases need. `met` takes a prepared controller.
struct Need {
  const char* name;
  bool (*met)(const Controller& c);
};
extern const Need kWholePorts;  // the case acts on whole ports
extern const Need kPaths;
extern const Need kReservations;
extern const Need kLabelRange;
extern const Need kReplaceOff;
extern const Need kLines;

struct Case {
  const char* name;
  bool version_1;  // also in version 1.1
  // `c` is established and prepared: it has no connections, and its ports are Available.
  void (*run)(Controller& c);
  // The case is registered only for switches that meet all of these.
  std::vector<const Need*> needs = {};
};

const std::vector<Case>& connection_cases();  // RFC 3292 sections 4 and 5
const std::vector<Case>& move_cases();        // sections 4.3 to 4.9
const std::vector<Case>& port_cases();        // sections 6 and 9
const std::vector<Case>& state_cases();       // sections 7 and 8
const std::vector<Case>& message_cases();     // sections 3 and 11: rules for every message

}  // namespace xbind::conformance
