// What any driver has to do: stories of requests, accidents and what the controller is told of them.
// They hold what switchserver/drivers/switch_driver.hpp and drivers/running_driver.hpp promise.
#pragma once

#include <vector>

#include "tests/conformance/driver/stage.hpp"

namespace xbind::driver_kit {

struct Story {
  const char* name;
  // The switch has just started and nobody is connected to it.
  void (*run)(Stage& stage);
};

const std::vector<Story>& request_stories();  // add, remove, move, and what is refused
const std::vector<Story>& channel_stories();  // the control channel comes, goes and loses things
const std::vector<Story>& table_stories();    // tables and counters that are read
const std::vector<Story>& port_stories();     // lines, other controllers

std::vector<Story> all_stories();

}  // namespace xbind::driver_kit
