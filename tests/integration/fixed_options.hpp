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
  Result<std::vector<config::OptionChange>> tune_all(const Wishes& wishes) override {
    for (const auto& [name, value] : wishes) {
      if (value) return fail(ErrorCode::kBadInput, "unknown option {}", name);
    }
    return reload();
  }
  void note(const std::string& /*name*/, std::string /*words*/) override {}
  std::vector<config::OptionValue> values() override { return {}; }
};

}  // namespace xbind
