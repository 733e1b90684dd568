// World: another controller removes cross-connects of standing calls, once or again and again. The
// SwitchServer compares table and ledger in the background
// (switchserver/controller/table_rounds.hpp).
#include <fmt/format.h>

#include <memory>

#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr double kFights = 40;    // percent: it removes again what is put back
constexpr double kReported = 60;  // percent: the switch reports the other controller
constexpr Duration kStays = seconds{3};
constexpr Duration kBetweenLooks = milliseconds{200};
// A request to a switch that has stopped arrives when it goes on, and is repeated meanwhile.
constexpr Duration kAddArrives = seconds{8};

}  // namespace

bool World::stands(std::size_t at, const CrossConnect& entry, const HopKey& key) const {
  bool found = false;
  ledger(at).users().for_each_on_input(
      entry.input_port, entry.input_label, [&](HopRef ref, const HopRecord& record) {
        found =
            found || (record.key == key && record.settled() && !ledger(at).stacks().above(ref) &&
                      ledger(at).hops().cross_connect(ref) == entry);
      });
  return found;
}

void World::drift(std::size_t at) {
  SwitchSite& site = switches_[at];
  // What a ledger had that is lost is looked for in the table: that is another story.
  if (servers_die_ || dead(site) || !site.device->up() || !site.server->controller().up()) return;
  std::vector<Drifted> candidates;
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord& record) {
    const CrossConnect entry = ledger(at).hops().cross_connect(ref);
    if (stands(at, entry, record.key) && site.device->has(entry)) {
      candidates.push_back({at, entry, record.key});
    }
  });
  if (candidates.empty()) return;
  const Drifted lost = candidates[world_.chance.below(candidates.size())];
  ++world_.tally["cross-connects that drifted away"];
  drifted_.push_back(lost);
  site.device->drift(lost.entry);
  const bool fights = world_.chance.percent(kFights);
  if (!fights && !world_.chance.percent(kReported)) return;
  ++world_.tally["other controllers reported"];
  site.device->tell_controllers(2);
  if (fights) {
    fight(at, lost.entry, lost.key);
  } else {
    world_.after(kStays, [this, at] { switches_[at].device->tell_controllers(1); });
  }
}

std::uint64_t World::other_adds(std::size_t at) const {
  const SwitchCounters& counters = switches_[at].server->controller().counters();
  return counters.put_back - counters.drift_put_back + counters.reasserted +
         counters.contracts_told + counters.taken_over + counters.moved_back +
         counters.port_changes;
}

// Removes the entry once more when it is back; then it must stay away for the rest of the round.
void World::fight(std::size_t at, const CrossConnect& entry, const HopKey& key) {
  struct Fight {
    TimePoint until;  // at most
    bool removed_again = false;
    std::uint64_t other_adds = 0;
    TimePoint other_added = TimePoint{} - kAddArrives;  // when they have last risen
  };
  auto state = std::make_shared<Fight>(Fight{world_.now + 2 * kTableRound, false, other_adds(at)});
  auto look = std::make_shared<std::function<void()>>();
  *look = [this, at, entry, key, state, look] {
    GsmpSwitch& device = *switches_[at].device;
    if (const std::uint64_t adds = other_adds(at); adds != state->other_adds) {
      state->other_adds = adds;
      state->other_added = world_.now;
    }
    const bool perhaps_another = device.has(entry) && world_.now < state->other_added + kAddArrives;
    const bool over =
        world_.now >= state->until || !device.up() || !stands(at, entry, key) || perhaps_another;
    if (over) {
      if (perhaps_another) ++world_.tally["fights that another add may have ended"];
      device.tell_controllers(1);
      *look = nullptr;
      return;
    }
    if (device.has(entry) && state->removed_again) {
      world_.violated(fmt::format("{}: {} is put back twice within a round", switches_[at].name,
                                  to_string(entry)));
    } else if (device.has(entry)) {
      ++world_.tally["drifted cross-connects removed again"];
      device.drift(entry);
      state->removed_again = true;
      // It was put back up to kBetweenLooks ago.
      state->until = world_.now + kTableRound - seconds{1};
    }
    world_.after(kBetweenLooks, [look] {
      if (const auto next = *look) next();
    });
  };
  world_.after(kBetweenLooks, [look] {
    if (const auto next = *look) next();
  });
}

// No operator asks for a repair here.
void World::check_nobodys(std::size_t at) {
  const std::uint64_t removed = switches_[at].server->controller().counters().strays_removed;
  if (removed == 0) return;
  world_.violated(fmt::format("{}: its SwitchServer has removed {} entries of nobody",
                              switches_[at].name, removed));
}

// For longer than two rounds nobody has removed anything.
void World::check_drift() {
  for (const Drifted& lost : drifted_) {
    const SwitchSite& site = switches_[lost.at];
    if (!site.device->up() || !stands(lost.at, lost.entry, lost.key)) continue;
    ++world_.tally["drifted cross-connects looked for"];
    if (site.device->has(lost.entry)) continue;
    world_.violated(fmt::format("{} lacks {}, which another controller has removed", site.name,
                                to_string(lost.entry)));
  }
}

}  // namespace xbind::sim
