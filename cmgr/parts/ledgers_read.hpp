// Which SwitchServers' ledgers a new epoch of the manager has read.
//
// Not thread-safe; owned by Recovery.
#pragma once

#include <cstddef>
#include <vector>

#include "cmgr/parts/indices.hpp"

namespace xbind::cmgr {

class LedgersRead {
 public:
  // All pages of the ledger have been read; it may have been lost.
  void note_seen(SwitchIndex at) {
    if (seen(at)) return;
    if (states_.size() <= at.value()) states_.resize(at.value() + std::size_t{1});
    states_[at.value()].seen = true;
    ++seen_;
  }
  // The same, and nothing that this manager had in it is lost.
  void note_whole(SwitchIndex at) {
    note_seen(at);
    states_[at.value()].whole = true;
  }

  bool seen(SwitchIndex at) const {
    return at.value() < states_.size() && states_[at.value()].seen;
  }
  bool whole(SwitchIndex at) const {
    return at.value() < states_.size() && states_[at.value()].whole;
  }
  std::size_t count() const { return seen_; }  // ledgers seen

 private:
  struct State {
    bool seen = false;
    bool whole = false;
  };

  std::vector<State> states_;  // by SwitchIndex
  std::size_t seen_ = 0;
};

}  // namespace xbind::cmgr
