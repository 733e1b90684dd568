// Cross-connects that were removed while a table was being read: the answer may still show them.
// Bounded: beyond kMax the reading is not worth anything (overflow()).
//
// One thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/audit.hpp"

namespace xbind::controller {

class EndedEntries {
 public:
  static constexpr std::size_t kMax = 1U << 20;

  // `clock`: the ledger's, after the removal.
  void note(const CrossConnect& gone, std::uint64_t clock) {
    if (ended_.size() < kMax) {
      ended_.push_back({gone, clock});
    } else {
      overflow_ = true;
    }
  }
  // Appends what was there at that clock of the ledger.
  void append_since(std::uint64_t clock, std::vector<CrossConnect>& entries) const {
    for (const Ended& one : ended_) {
      if (one.clock > clock) entries.push_back(one.cross_connect);
    }
  }
  bool overflow() const { return overflow_; }
  void clear() {
    ended_.clear();
    overflow_ = false;
  }

 private:
  struct Ended {
    CrossConnect cross_connect;
    std::uint64_t clock = 0;
  };

  std::vector<Ended> ended_;
  bool overflow_ = false;
};

}  // namespace xbind::controller
