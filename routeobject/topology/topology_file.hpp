// Reads our topology files (deploy/topologies/*.toml), a small part of TOML:
//
//   name = "paper"                    # needed
//   [[switch]]                        # at least one
//   name = "host-a"
//   endpoint = true                   # calls start and end here; default false
//   kind = "ovs"                      # an Open vSwitch; default "emulated". All its lines have
//                                     # labels = "mpls" and cells = "none", also when left out
//   port-controller = "fpc3"          # emulated only: a port controller at each of its lines, as
//                                     # --port-controller of xbind-switch; default none
//   media = { cells = "plain", addresses = ["127.0.0.1:6001", "127.0.0.1:6002"] }
//                                     # endpoints only: the line from port 1 to the host,
//                                     # switch first; keys as for a link. Or { cells = "frames" }:
//                                     # Ethernet frames, which a call's label selects
//   [[link]]
//   between = ["host-a:2", "switch-1"]  # the port after the colon may be left out
//   cells-per-s = 353207              # each way; 1 to 4294967295
//   rate-is-set = true                # SwitchServers give this rate to the switches' lines;
//                                     # default false: the lines have a rate of their own
//   delay-us = 250                    # propagation each way; 0 to 10000000, default 0
//   labels = "atm"                    # of the connections on this line: default; or "mpls"
//   cells = "mpls"                    # default of ATM lines; or "plain", "cfr", "ring", "none";
//                                     # of MPLS lines "lsp", or "ring", "none" (media_line.hpp)
//   addresses = ["127.0.0.1:6635", "127.0.0.2:6635"]  # not ring, none: in the order of `between`
//   label = 1001                      # cells = "mpls": of the pseudowire, 16 to 1048575
//   [[demand]]
//   from = "host-a"
//   to = "host-b"
//   weight = 2.5                      # above 0; default 1
//
// A port that is left out is assigned in file order: the lowest one that no link of the file names
// and that is still free (from 1; from 2 at an endpoint). Tables may stand in any order.
// topology.hpp defines valid names, rates and links. The builder of the lab chooses missing
// addresses and labels; routes depend on none of them.
//
// Refusals (kBadInput; kSystem when the file cannot be read) begin with "FILE line N: ", the line
// of the table or value; if no line is at fault (an empty file), with "FILE: ".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kTopologyOctetsMax = 16u << 20;

Result<Topology> read_topology_file(const std::string& path);

// The same for a text; `path` is used only in refusals.
Result<Topology> parse_topology(std::string_view text, const std::string& path);

}  // namespace xbind
