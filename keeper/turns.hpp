// The order in which the tables of the file have calls set up: those whose next try has come first,
// of these the ones of higher priority, of these in the order of the file. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/clock.hpp"

namespace xbind::keeper {

class Turns {
 public:
  // Forgets everything; indices are below `entries` from now on.
  void reset(std::size_t entries) {
    turns_.clear();
    of_.assign(entries, std::nullopt);
  }
  std::size_t entries() const { return of_.size(); }
  void put(std::uint32_t entry, TimePoint next_try, std::uint8_t priority) {
    remove(entry);
    of_[entry] = Turn{next_try, -int{priority}, entry};
    turns_.insert(*of_[entry]);
  }
  void remove(std::uint32_t entry) {
    if (of_[entry]) turns_.erase(*of_[entry]);
    of_[entry].reset();
  }
  // When the first one may be tried; kNever: there is none.
  TimePoint deadline() const {
    return turns_.empty() ? kNever : std::get<TimePoint>(*turns_.begin());
  }
  // The first one whose next try has come.
  std::optional<std::uint32_t> first(TimePoint now) const {
    if (turns_.empty() || deadline() > now) return std::nullopt;
    return std::get<std::uint32_t>(*turns_.begin());
  }

 private:
  using Turn = std::tuple<TimePoint, int, std::uint32_t>;  // next try, -priority, entry

  std::set<Turn> turns_;
  std::vector<std::optional<Turn>> of_;  // by entry
};

}  // namespace xbind::keeper
