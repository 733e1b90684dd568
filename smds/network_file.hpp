// The file of a network (network.hpp):
//
//   [[server]]                       [[subscriber]]
//   name = "smds-1"                  name = "anna"
//   id = 1                           server = "smds-1"
//   endpoint = "node-1"              endpoint = "node-2"          none: adaptation = "udp"
//                                    addresses = ["C14089991000"]
//   [[trunk]]                        class = 10
//   between = ["smds-1", "smds-2"]   individual-deny = ["C14089992000"]
//   mbit-per-s = 34
//                                    [[group]]
//   [[prefix]]                       address = "E18008881000"
//   prefix = "C1408999"              members = ["C14089991000", "C14089992000"]
//   server = "smds-1"
//
// Pure, except for load_network().
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "smds/network.hpp"

namespace xbind::smds {

// kBadInput, with file and line: as config::read_option_tables, a name, address or endpoint twice,
// a reference to a server or member that is not there, an unknown class.
Result<Network> parse_network(std::string_view text, const std::string& path);
Result<Network> load_network(const std::string& path);

}  // namespace xbind::smds
