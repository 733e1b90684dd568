// The options of xbind-switchserver for one switch, and files for several. --help, the refusals and
// docs/options.md are generated from them.
//
//   [[switch]]
//   name = "sw1"                       bound as xbind/switchserver/sw1
//   switch = "127.0.1.1:6068"
//   overbooking = 1.5
//
// The keys are the options declared below; one table's values do not carry over to the next
// (core/config/option_tables.hpp). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/result.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

inline constexpr std::size_t kNodesMax = 1024;  // in one process

// The options as they were given; their texts have been checked.
struct NodeOptions {
  std::string name;
  std::string switch_address;  // HOST:PORT or SCHEME://..., see make_driver.hpp
  AdmissionMode admission = AdmissionMode::kEffective;
  double overbooking = 1.0;
  std::vector<std::string> port_overbooking;  // "3=2.0"
  std::uint32_t rt_wait_us = 0;
  std::uint64_t buffer_cells = 0;
  LabelSharing sharing = LabelSharing::kFree;
  std::uint32_t unused_percent = 25;
  std::uint32_t window = 0;
  std::uint32_t transaction_timeout_ms = 0;
  std::string gsmp_versions;
  std::vector<config::OptionValue> values;  // of a file's table: as they were given
};

// What differs between two lists of nodes from files, the names with the node's before them: "sw1
// overbooking". Nodes that came, went or changed places are not live.
std::vector<config::OptionChange> changes_of(const std::vector<NodeOptions>& before,
                                             const std::vector<NodeOptions>& after);

// The options must have been checked.
std::map<PortId, double> port_overbooking(const NodeOptions& options);

// `options` outlives the set.
void declare(config::OptionSet& set, NodeOptions& options);
std::vector<std::string> node_option_names();

// Returns the nodes in the order of the file. Errors as config::read_option_tables, and kBadInput
// if two nodes have the same name or the same switch.
Result<std::vector<NodeOptions>> parse_nodes(std::string_view text, const std::string& path);
Result<std::vector<NodeOptions>> load_nodes(const std::string& path);

}  // namespace xbind
