// The status of a server: a JSON document, NAME.json in the directory of --status-dir. README.md
// describes its members. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "keeper/wanted_calls.hpp"
#include "smds/line_calls.hpp"
#include "smds/network.hpp"
#include "smds/snapshot.hpp"

namespace xbind::smds {

struct StatusHead {
  std::string manager;
  bool attached = false;
  bool running = true;  // false: written at the end
  std::chrono::sys_time<std::chrono::milliseconds> wall;
};

// The state of a line, from its calls: "connected", or why it is not.
std::string line_state(const Port& port, const LineLabels& labels,
                       const keeper::WantedCalls& wanted);

// One line, ends with a newline. `labels` and the ports of `snapshot` are by index of a port.
std::string status_document(const StatusHead& head, const ServerSpec& server,
                            const std::vector<Port>& ports, const std::vector<LineLabels>& labels,
                            const keeper::WantedCalls& wanted, const Snapshot& snapshot);

// Several such documents as a table for people. kBadInput: one is not such a document.
Result<std::string> status_table(const std::vector<std::string>& documents);
// The same as one array, for programs.
Result<std::string> status_array(const std::vector<std::string>& documents);

}  // namespace xbind::smds
