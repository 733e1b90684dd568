// What any driver has to do, as stories: requests, accidents, and the events that the controller
// gets. They check the promises of switchserver/drivers/switch_driver.hpp and
// drivers/running_driver.hpp.
#pragma once

#include <vector>

#include "tests/conformance/driver/stage.hpp"

namespace xbind::driver_kit {

struct Story {
  const char* name;
  // The switch has just started and has no connection.
  void (*run)(Stage& stage);
};

const std::vector<Story>& request_stories();  // add, remove, move, and refusals
// The control channel connects, breaks and loses messages
const std::vector<Story>& channel_stories();
const std::vector<Story>& table_stories();  // reading tables and counters
const std::vector<Story>& port_stories();   // lines and other controllers

std::vector<Story> all_stories();

}  // namespace xbind::driver_kit
