// The options of xbind-switch, said once: --help, the refusals and docs/options.md come from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/options.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "core/log.hpp"

namespace xbind::emulator {

struct Options {
  std::string listen;
  std::string name;
  std::uint32_t ports = 0;
  LabelRange labels;
  std::uint32_t link_cells_per_s = 0;
  std::vector<std::string> port_rates;  // "PORT=RATE", checked
  std::uint8_t priorities = 0;
  std::uint16_t window = 0;
  std::uint8_t timer = 0;
  std::uint64_t branches_max = 0;
  std::uint64_t refuse_next = 0;
  std::uint8_t refuse_code = 0;
  log::Level log_level = log::Level::kInfo;
};

// "2=353207" as port and rate; nothing unless it is a port from 1 and a rate of 1 to 4294967295.
std::optional<std::pair<PortId, std::uint32_t>> parse_port_rate(const std::string& text);

// `options` outlives the set.
config::OptionSet declare(Options& options);

}  // namespace xbind::emulator
