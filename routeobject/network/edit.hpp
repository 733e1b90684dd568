// Edits of the network by the operator: another topology file, or one switch or link. Each makes a
// new topology and leaves the old one alone. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kNetworkTextOctetsMax = std::size_t{4} << 20;

namespace edit {

struct Load {
  std::string text;  // of any format of load_topology.hpp, at most kNetworkTextOctetsMax octets
  std::string file_name;  // for refusals; empty: "network"
};
struct AddSwitch {
  std::string name;
  bool endpoint = false;
};
struct RemoveSwitch {  // with its links and demands
  std::string name;
};
struct AddLink {
  // Port 0: the lowest one without a link, from 2 at an endpoint; of those that the switch has
  // reported, if it has.
  PathElement first_end;
  PathElement second_end;
  std::uint64_t cells_per_s = 0;
  std::uint64_t delay_us = 0;
};
struct RemoveLink {
  PathElement end;  // either one
};
struct SetRate {
  PathElement end;  // either one of a link
  std::uint64_t cells_per_s = 0;
};

}  // namespace edit

using NetworkEdit = std::variant<edit::Load, edit::AddSwitch, edit::RemoveSwitch, edit::AddLink,
                                 edit::RemoveLink, edit::SetRate>;

struct EditedNetwork {
  Topology topology;
  std::vector<std::string> notes;  // on an imported file
};

// The ports that a switch has reported, ascending; empty: they are not known.
using PortsOf = std::function<std::vector<PortId>(const std::string& switch_name)>;
// "2 ports: 1, 3", at most 32 of them.
std::string words_of_ports(const std::vector<PortId>& ports);

// The links that an edit adds, and those whose rate it changes, have a rate that is set; the others
// keep what they have. kBadInput: a file is refused, with its line; a value is out of range, a name
// invalid or taken, a port taken. kNotFound: no such switch or link. The text names the element and
// the value.
Result<EditedNetwork> edited(const Topology& network, const NetworkEdit& edit,
                             const ImportOptions& options, const PortsOf& ports_of);

}  // namespace xbind
