// The file of --status-file: a JSON document of every call that should be up. README.md describes
// its members. Pure.
#pragma once

#include <chrono>
#include <string>

#include "core/clock.hpp"
#include "keeper/wanted_calls.hpp"

namespace xbind::keeper {

struct StatusHead {
  std::string client;
  std::string manager;
  bool attached = false;
  // The same moment on both time lines.
  TimePoint now;
  std::chrono::sys_time<std::chrono::milliseconds> wall;
};

// One line, ends with a newline.
std::string status_document(const StatusHead& head, const WantedCalls& wanted);

}  // namespace xbind::keeper
