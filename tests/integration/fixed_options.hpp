// Options that no file stands behind, for servants whose program is not there.
#pragma once

#include <vector>

#include "core/config/reload.hpp"

namespace xbind {

class FixedOptions : public config::Reloadable {
 public:
  Result<std::vector<config::OptionChange>> reload() override {
    return std::vector<config::OptionChange>{};
  }
  std::vector<config::OptionValue> values() override { return {}; }
};

}  // namespace xbind
