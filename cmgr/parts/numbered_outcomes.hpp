// Outcomes of two-way calls under the callers' numbers, so that a caller whose ORB gave up waiting
// can query the outcome later. The latest outcome of a number counts; when the table is full the
// oldest number is forgotten.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

#include "core/call.hpp"

namespace xbind::cmgr {

class NumberedOutcomes {
 public:
  static constexpr std::size_t kNumbers = 4'096;

  void remember(RequestId number, Outcome outcome) {
    outcome.request = number;
    if (!by_number_.insert_or_assign(number, std::move(outcome)).second) return;
    order_.push_back(number);
    if (order_.size() <= kNumbers) return;
    by_number_.erase(order_.front());
    order_.pop_front();
  }
  std::optional<Outcome> find(RequestId number) const {
    const auto known = by_number_.find(number);
    if (known == by_number_.end()) return std::nullopt;
    return known->second;
  }
  std::size_t size() const { return by_number_.size(); }

 private:
  std::unordered_map<RequestId, Outcome> by_number_;
  std::deque<RequestId> order_;  // of by_number_, oldest first
};

}  // namespace xbind::cmgr
