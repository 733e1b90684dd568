// The options of a Gathering, as xbind-cmgr has them.
#pragma once

#include <cstdint>

#include "callgen/floor/gathering.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen::null {

struct GatheringOptions {
  bool adaptive = false;
  std::uint32_t threshold = 0;
  double flush_timeout_ms = 0;
  std::uint32_t in_flight = 0;

  Gathering gathering() const {
    return {adaptive, threshold, Duration{static_cast<Duration::rep>(flush_timeout_ms * 1e6)},
            in_flight};
  }
};

void declare_gathering_options(config::OptionSet& set, GatheringOptions& options);

}  // namespace xbind::callgen::null
