// World: checks the hops that managers have rebuilt from their neighbours, as SwitchServers take
// them.
#include <fmt/format.h>

#include "tests/sim/world.hpp"

namespace xbind::sim {

// Which call an entry serves is never guessed, and no two hops of a call have one key.
void World::check_rebuilt(std::size_t at, std::size_t manager, const HopClaims& page) {
  const Ledger& book = ledger(at);
  const auto us = book.managers().find(managers_[manager].site->name());
  for (const LedgerHop& claimed : page.hops) {
    const auto ref = claimed.rebuilt && us ? book.hops().find(*us, claimed.key) : std::nullopt;
    if (!ref || !rebuilt_.insert({at, claimed.key}).second) continue;
    ++world_.tally["hops rebuilt"];
    note_more(at, claimed.key, *ref);
    const CrossConnect has = book.hops().cross_connect(book.hops().hop(*ref));
    // The links of its call and those of a second call are exchanged, and it has the entry of that
    // one (docs/reliability.md). Its own hop may never have been set up (seed 100331): then its
    // client has no outcome yet.
    const auto lost = lost_hops_.find({manager, claimed.key.connection});
    const bool own = lost != lost_hops_.end() && lost->second.entries.contains({at, has});
    const auto& misled = managers_[manager].misled_at;
    if (!own && (misled.contains({at, has.input_port}) || misled.contains({at, has.output_port}))) {
      ++world_.tally["rebuilt hops that are of another call"];
      handovers_lost_.insert({manager, claimed.shown_id == ConnectionId{} ? claimed.key.connection
                                                                          : claimed.shown_id});
    }
    const auto complain = [&](const std::string& what) {
      world_.violated(fmt::format("{}: rebuilt hop {}.{}.{} of connection {}, {}, {}",
                                  switches_[at].name, claimed.key.generation, claimed.key.leg,
                                  claimed.key.hop, claimed.key.connection, to_string(has), what));
    };
    // The SwitchServer may not have noticed yet that the switch has restarted.
    const bool gone = !switches_[at].device->has(has) && !switches_[at].was_emptied;
    if (gone) complain("is not in the switch");
    for (const CrossConnect& other : switches_[at].device->table()) {
      if (other != has && fits(claimed.cross_connect, other) && !is_claimed(at, other)) {
        complain("may as well be " + to_string(other));
      }
    }
    for (std::size_t place = 0; place < switches_.size(); ++place) {
      ledger(place).hops().for_each([&](HopRef, const HopRecord& record) {
        if (place == at || record.key != claimed.key) return;
        complain("has the key of a hop at " + switches_[place].name);
      });
    }
  }
}

}  // namespace xbind::sim
