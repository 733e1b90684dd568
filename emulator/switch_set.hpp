// The switches of one process, from a file: one [[switch]] table each, whose keys are the options
// of xbind-switch for one switch. Tables inherit nothing from each other.
//
//   [[switch]]
//   name = "sw1"
//   listen = "127.0.0.1:0"
//   ports = 3
//   port-cells-per-s = {3 = 96000}
//   links = {1 = "mpls:127.0.1.1:6635/127.0.1.9:6635/1001", 2 = "ring:sw1-sw2"}
//   fault = ["delay message 500", "delay connection 2000"]
//
// An option that is a list is an array, or a table with the ports as keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/link_set.hpp"
#include "emulator/options.hpp"

namespace xbind::emulator {

inline constexpr std::size_t kSwitchesMax = 1024;  // in one process

// Returns the switches in file order. kBadInput, with file, line and reason: invalid TOML, an
// unknown key, an invalid value, no switch or too many, a duplicate name, or a duplicate listening
// address with a port other than 0. `path` is used in error texts only.
Result<std::vector<SwitchOptions>> parse_switches(std::string_view text, const std::string& path);
// kSystem: the file cannot be read.
Result<std::vector<SwitchOptions>> load_switches(const std::string& path);

// What differs between two loads of the file, each option with the name of its switch:
// "sw1 branches-max". kBadInput: a switch is new, gone or in another place, which needs a restart.
Result<std::vector<config::OptionChange>> changes_of(const std::vector<SwitchOptions>& before,
                                                     const std::vector<SwitchOptions>& wanted);

// The cell links of the switches, for LinkSet::open.
std::vector<dataplane::LinkPlace> link_places(const std::vector<SwitchOptions>& switches);

}  // namespace xbind::emulator
