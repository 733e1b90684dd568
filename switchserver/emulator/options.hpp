// The options of xbind-switch, said once: --help, the refusals and docs/options.md come from here.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/options.hpp"
#include "core/label.hpp"
#include "core/log.hpp"

namespace xbind::emulator {

struct Options {
  std::string listen;
  std::string name;
  std::uint32_t ports = 0;
  LabelRange labels;
  std::uint32_t link_cells_per_s = 0;
  std::uint8_t priorities = 0;
  std::uint16_t window = 0;
  std::uint8_t timer = 0;
  std::uint64_t branches_max = 0;
  std::uint64_t refuse_next = 0;
  std::uint8_t refuse_code = 0;
  log::Level log_level = log::Level::kInfo;
};

// `options` outlives the set.
config::OptionSet declare(Options& options);

}  // namespace xbind::emulator
