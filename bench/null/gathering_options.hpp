// The options of a Gathering. The default is that of xbind-cmgr, adaptive, so that a floor and a
// system with default settings can be compared.
#pragma once

#include <cstdint>

#include "bench/null/gathering.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen::null {

struct GatheringOptions {
  bool adaptive = false;        // given explicitly; also the default
  std::uint32_t threshold = 0;  // commands; 0: adaptive
  double flush_timeout_ms = 0;
  std::uint32_t in_flight = 0;

  Gathering gathering() const {
    return {threshold == 0, threshold, Duration{static_cast<Duration::rep>(flush_timeout_ms * 1e6)},
            in_flight};
  }
};

void declare_gathering_options(config::OptionSet& set, GatheringOptions& options);

}  // namespace xbind::callgen::null
