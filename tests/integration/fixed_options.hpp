// Options that no file stands behind, for servants whose program is not there.
#pragma once

#include <string>
#include <vector>

#include "core/config/reload.hpp"

namespace xbind {

class FixedOptions : public config::Reloadable {
 public:
  Result<std::vector<config::OptionChange>> reload() override {
    return std::vector<config::OptionChange>{};
  }
  Result<std::vector<config::OptionChange>> tune(const std::string& name,
                                                 const std::string& /*value*/) override {
    return fail(ErrorCode::kBadInput, "unknown option {}", name);
  }
  Result<std::vector<config::OptionChange>> untune(const std::string& /*name*/) override {
    return reload();
  }
  std::vector<config::OptionValue> values() override { return {}; }
};

}  // namespace xbind
