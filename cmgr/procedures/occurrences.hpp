// Counts each event in each state of each procedure.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "cmgr/procedures/events.hpp"
#include "cmgr/procedures/hold_fsm.hpp"
#include "cmgr/procedures/leaf_fsm.hpp"
#include "cmgr/procedures/modify_fsm.hpp"
#include "cmgr/procedures/release_fsm.hpp"
#include "cmgr/procedures/reroute_fsm.hpp"
#include "cmgr/procedures/setup_fsm.hpp"

namespace xbind::cmgr {

template <class Fsm>
struct OccurrencesOf {
  std::array<std::array<std::uint64_t, kEvents>, Fsm::kStates> rows{};

  std::uint64_t& at(typename Fsm::State state, Event event) {
    return rows[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
  }
  std::uint64_t at(typename Fsm::State state, Event event) const {
    return rows[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
  }
  friend bool operator==(const OccurrencesOf&, const OccurrencesOf&) = default;
};

class Occurrences {
 public:
  template <class Fsm>
  OccurrencesOf<Fsm>& of() {
    return std::get<OccurrencesOf<Fsm>>(tables_);
  }
  template <class Fsm>
  const OccurrencesOf<Fsm>& of() const {
    return std::get<OccurrencesOf<Fsm>>(tables_);
  }
  // Visits each table: visit(OccurrencesOf<Fsm>&).
  template <class Visit>
  void for_each(Visit&& visit) {
    std::apply([&](auto&... tables) { (visit(tables), ...); }, tables_);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::apply([&](const auto&... tables) { (visit(tables), ...); }, tables_);
  }
  void add(const Occurrences& other) {
    for_each([&]<class Fsm>(OccurrencesOf<Fsm>& mine) {
      const OccurrencesOf<Fsm>& theirs = other.of<Fsm>();
      for (std::size_t state = 0; state < mine.rows.size(); ++state) {
        for (std::size_t event = 0; event < kEvents; ++event) {
          mine.rows[state][event] += theirs.rows[state][event];
        }
      }
    });
  }

  friend bool operator==(const Occurrences&, const Occurrences&) = default;

 private:
  std::tuple<OccurrencesOf<SetupFsm>, OccurrencesOf<HoldFsm>, OccurrencesOf<ReleaseFsm>,
             OccurrencesOf<ModifyFsm>, OccurrencesOf<LeafFsm>, OccurrencesOf<RerouteFsm>>
      tables_;
};

}  // namespace xbind::cmgr
