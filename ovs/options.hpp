// The options of xbind-gsmp-ovs: the single source of --help, the error texts and docs/options.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/log.hpp"
#include "core/log_output.hpp"
#include "core/result.hpp"
#include "ovs/bridge_link.hpp"
#include "ovs/ovs_table.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::ovs {

struct Options {
  std::string listen;
  std::string name;
  std::string bridge;
  std::uint32_t ports = 0;
  std::vector<std::string> edge_ports;   // numbers
  std::vector<std::string> port_labels;  // "PORT=mpls:FIRST-LAST"
  std::vector<std::string> classes;      // "NUMBER=PREFIX"
  std::uint32_t link_cells_per_s = 0;
  std::vector<std::string> port_rates;  // "PORT=RATE"
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::string groups;  // "FIRST-LAST"
  std::string meters;
  bool police_links = false;
  std::uint16_t window = 0;
  std::uint8_t timer = 0;
  std::uint64_t branches_max = 0;
  log::Output log;
};

// Adds the options and their checks to a set. `options` must outlive the set.
void declare(config::OptionSet& set, Options& options);

// Everything that the switch is made of, from checked options.
struct SwitchParts {
  BridgeAddress bridge;
  switchagent::FabricOptions fabric;
  OvsTableOptions table;
  switchagent::AgentOptions agent;
};
SwitchParts parts_of(const Options& options);

}  // namespace xbind::ovs
