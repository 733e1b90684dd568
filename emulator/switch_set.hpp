// The switches of one process, as a file says them: a [[switch]] table for each, its keys the options of
// xbind-switch for one switch. Nothing is taken over from one table to the next.
//
//   [[switch]]
//   name = "sw1"
//   listen = "127.0.0.1:0"
//   ports = 3
//   port-cells-per-s = {3 = 96000}
//   links = {1 = "mpls:127.0.1.1:6635/127.0.1.9:6635/1001", 2 = "ring:sw1-sw2"}
//   fault = ["delay message 500", "delay connection 2000"]
//
// An array, or a table by ports, stands for an option that is a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/link_set.hpp"
#include "emulator/options.hpp"

namespace xbind::emulator {

inline constexpr std::size_t kSwitchesMax = 1024;  // in one process

// In the order of the file. kBadInput, with file, line and reason: what is no TOML, a key that no switch
// has, a value that the option would not take, no switch at all or too many, two of one name or, unless
// the port is 0, of one address to listen on. `path` stands in the refusals only.
Result<std::vector<SwitchOptions>> parse_switches(std::string_view text, const std::string& path);
// kSystem: the file cannot be read.
Result<std::vector<SwitchOptions>> load_switches(const std::string& path);

// Their lines for cells, for LinkSet::open.
std::vector<dataplane::LinkPlace> link_places(const std::vector<SwitchOptions>& switches);

}  // namespace xbind::emulator
