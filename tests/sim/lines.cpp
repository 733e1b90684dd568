// World: lines go down and come up, operators drain them, and a Router tells the managers.
#include <algorithm>

#include "core/log.hpp"
#include "tests/sim/trace.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr std::size_t kInTrouble = 3;                 // lines at a time, at most
constexpr Duration kUntilNoticed = milliseconds{20};  // by the switch; twice that by the Router
constexpr Duration kPoll = seconds{3};                // of each manager, by itself
constexpr Duration kLook = milliseconds{100};         // at who is to be trusted
// SwitchServers do not fall silent here: those of this world do not restart.
const SwitchTrustOptions kTrust{.lost = seconds{1}, .silent = {}, .trust = seconds{1}};

}  // namespace

void World::trouble_on_lines() {
  if (!loading_) return;
  world_.after(milliseconds{world_.chance.between(100, 3'000)}, [this] { trouble_on_lines(); });
  std::vector<Network::Port> idle;
  std::vector<Network::Port> troubled;
  for (const Network::Port& line : network_.lines()) {
    (network_.down(line) || network_.drained(line) ? troubled : idle).push_back(line);
  }
  if (troubled.size() >= kInTrouble || (!troubled.empty() && world_.chance.percent(40))) {
    line_recovers(troubled[world_.chance.below(troubled.size())]);
    return;
  }
  const Network::Port line = idle[world_.chance.below(idle.size())];
  const bool access = !network_.far_end(line.first, line.second);
  if (access && world_.chance.percent(80)) return;
  if (lines_break_ && world_.chance.percent(60)) {
    line_goes(line, true);
    // Now and then it is back before anybody has noticed.
    if (world_.chance.percent(20)) {
      world_.after(world_.chance.up_to(2 * kUntilNoticed),
                   [this, line] { line_goes(line, false); });
    }
    return;
  }
  ++world_.tally["lines drained"];
  network_.set_drained(line, true);
  router_learns();
}

void World::line_recovers(const Network::Port& line) {
  if (network_.drained(line)) {
    network_.set_drained(line, false);
    router_learns();
  }
  if (network_.down(line)) line_goes(line, false);
}

// Cells pass no more at once, or pass again; the switches at its ends notice a little later.
void World::line_goes(const Network::Port& line, bool down) {
  ++world_.tally[down ? "lines down" : "lines up"];
  network_.set_down(line, down);
  for (const Network::Port& end : network_.ends_of(line)) {
    world_.after(world_.chance.up_to(kUntilNoticed), [this, end] {
      const bool up = !network_.down(end);
      switches_[end.first].device->line(end.second, up);
    });
    cells_move(end.first);
  }
  router_learns();
}

void World::router_learns() {
  world_.after(world_.chance.up_to(2 * kUntilNoticed), [this] {
    const std::uint64_t before = network_.published().version;
    network_.publish();
    if (network_.published().version == before) return;
    versions_.push_back(network_.published());
    for (std::size_t m = 0; m < managers_.size(); ++m) tell_topology(m);
  });
}

// A notice, which may get lost, come twice, or late: a poll or a later one makes up for it.
void World::tell_topology(std::size_t manager) {
  const auto tell = [this, manager](TopologyState state) {
    world_.carry(leg('t', 0, manager),
                 [this, manager, state = std::move(state)] { learn_topology(manager, state); });
  };
  tell(network_.published());
  if (!world_.chance.percent(20)) return;
  ++world_.tally["old versions told"];
  const TopologyState old = versions_[world_.chance.below(versions_.size())];
  world_.after(world_.chance.up_to(seconds{2}), [tell, old] { tell(old); });
}

void World::poll_topology(std::size_t manager) {
  if (!loading_) return;
  world_.after(world_.chance.up_to(kPoll), [this, manager] { poll_topology(manager); });
  const ManagerSite& site = *managers_[manager].site;
  if (world_.now < site.routes_away_until || world_.chance.percent(world_.weather.two_way_lost)) {
    ++world_.tally["polls lost"];
    return;
  }
  world_.after(world_.chance.up_to(milliseconds{10}), [this, manager] {
    world_.after(world_.chance.up_to(milliseconds{10}),
                 [this, manager, state = network_.published()] { learn_topology(manager, state); });
  });
}

void World::learn_topology(std::size_t manager, const TopologyState& state) {
  ManagerSite& site = *managers_[manager].site;
  if (log::enabled(log::Level::kDebug) && !site.dead()) {
    const auto now = std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch());
    log::debug("{} ms {} learns {}", now.count(), site.name(), words(state));
  }
  site.step([&](cmgr::ConnectionManager& it) { it.on_topology(state); });
}

// Everybody knows how things are; the last word that comes is an old one, and no poll sets it right.
void World::all_learn_topology() {
  network_.publish();
  if (versions_.empty() || versions_.back().version != network_.published().version) {
    versions_.push_back(network_.published());
  }
  const TopologyState& now = network_.published();
  const auto old = std::find_if(versions_.rbegin(), versions_.rend(),
                                [&](const auto& it) { return it.unusable != now.unusable; });
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    learn_topology(m, now);
    if (old != versions_.rend()) learn_topology(m, *old);
  }
}

// ===== switches that are lost =====

void World::switch_is_heard(std::size_t at) {
  if (!world_.lines) return;
  switches_[at].trust.heard(switches_[at].device->up(), kTrust, world_.now);
}

void World::watch_trust() {
  world_.after(kLook, [this] { watch_trust(); });
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    SwitchTrust& trust = switches_[at].trust;
    trust.tick(kTrust, kNever, world_.now);
    if (trust.unknown() == network_.unknown(at)) continue;
    ++world_.tally[trust.unknown() ? "switches unknown" : "switches trusted again"];
    network_.set_unknown(at, trust.unknown());
    router_learns();
  }
}

void World::mend_all_lines() {
  if (stays_lost_) {
    switches_[*stays_lost_].device->come_up(true);
    stays_lost_.reset();
    run_until(world_.now + kTrust.trust + 2 * kLook);
  }
  for (const Network::Port& line : network_.lines()) line_recovers(line);
}

}  // namespace xbind::sim
