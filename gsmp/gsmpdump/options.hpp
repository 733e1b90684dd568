// The options of gsmpdump: the single source of --help, the error texts and docs/options.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace xbind::gsmpdump {

struct Options {
  std::vector<std::string> hex;  // from the command line
  std::string read;
  std::string interface;
  std::string listen;
  std::string to;
  std::uint16_t port = 0;
  bool octets = false;
};

// `options` must outlive the set.
config::OptionSet declare(Options& options);

}  // namespace xbind::gsmpdump
