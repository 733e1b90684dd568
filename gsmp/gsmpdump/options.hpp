// The options of gsmpdump, said once: --help, the refusals and docs/options.md come from here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/options.hpp"

namespace xbind::gsmpdump {

struct Options {
  std::vector<std::string> hex;  // what stands on the command line
  std::string read;
  std::string interface;
  std::string listen;
  std::string to;
  std::uint16_t port = 0;
  bool octets = false;
};

// `options` outlives the set.
config::OptionSet declare(Options& options);

}  // namespace xbind::gsmpdump
