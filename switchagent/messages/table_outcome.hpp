// The table's code and reading for each part of one request. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

class TableOutcome {
 public:
  // `reads`: the parts return readings.
  void begin(std::uint32_t parts, bool reads) {
    waiting_ = parts;
    code_ = kWaiting;
    codes_.clear();
    readings_.clear();
    if (parts > 1) codes_.assign(parts, kWaiting);
    if (reads) readings_.resize(parts);
  }
  // Returns false if the part does not exist or has been answered.
  bool note(std::uint32_t part, gsmp::FailureCode code) {
    if (part >= (codes_.empty() ? 1U : codes_.size())) return false;
    gsmp::FailureCode& place = codes_.empty() ? code_ : codes_[part];
    if (place != kWaiting) return false;
    place = code;
    --waiting_;
    return true;
  }
  bool note(std::uint32_t part, gsmp::FailureCode code, TableReading reading) {
    if (!note(part, code)) return false;
    if (part < readings_.size()) readings_[part] = std::move(reading);
    return true;
  }
  bool complete() const { return waiting_ == 0; }

  // Requires completeness and an existing part.
  gsmp::FailureCode code(std::size_t part = 0) const {
    return codes_.empty() ? code_ : codes_[part];
  }
  // The table's reading for the part; R{} if there is none or if it has another type.
  template <class R>
  R reading(std::size_t part = 0) {
    R* const stored = part < readings_.size() ? std::get_if<R>(&readings_[part]) : nullptr;
    return stored == nullptr ? R{} : std::move(*stored);
  }

 private:
  // Marks a pending part. No code of RFC 3292: 255 belongs to the optional QoS model, which is not
  // supported.
  static constexpr gsmp::FailureCode kWaiting{255};

  std::uint32_t waiting_ = 0;
  gsmp::FailureCode code_ = kWaiting;     // the code of a single part
  std::vector<gsmp::FailureCode> codes_;  // the codes of several parts
  std::vector<TableReading> readings_;
};

}  // namespace xbind::switchagent
