// The options of xbind-wan: the single source of --help, the error texts and docs/options.md.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/options.hpp"
#include "core/log_output.hpp"
#include "wan/network.hpp"

namespace xbind::wan {

struct Options {
  std::string sites;  // a file (network_file.hpp)
  std::string namespace_prefix;
  std::string control;  // a path; empty: none
  std::uint32_t mtu = 0;
  std::uint64_t held_octets_max = 0;
  std::uint64_t seed = 0;
  bool describe = false;
  log::Output log;
  Network network;  // of the file, read by the check; every site has its namespace
};

// Adds the options and their checks to a set. `options` must outlive the set.
void declare(config::OptionSet& set, Options& options);

// The sites as JSON, for deploy/lab: names, namespaces, interfaces, addresses, nodes, programs.
std::string described(const Network& network);

}  // namespace xbind::wan
