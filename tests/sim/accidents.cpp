// World: accidents.
#include <fmt/format.h>

#include <algorithm>

#include "cmgr/procedures/prepared_desk.hpp"
#include "core/log.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr double kEndsInOrder = 40;         // percent of killed managers
constexpr Duration kPatience = seconds{4};  // of a manager that waits for switches
constexpr double kWrongNetworks = 25;       // percent of managers that come back
constexpr double kServersKilled = 8;        // percent of accidents; more if that is the plan
constexpr double kServersOftenKilled = 24;
constexpr double kCrashTogether = 5;  // percent of accidents, where managers and servers die
constexpr double kOftenTogether = 16;
constexpr double kGapsBetweenCrashes = 70;  // percent; else at once
constexpr double kDrifts = 15;              // percent of accidents
constexpr Duration kGapBetweenCrashes = seconds{6};
constexpr double kSwitchesToo = 12;  // percent of SwitchServers: their switches restart with them

}  // namespace

void World::accident() {
  if (!loading_) return;
  const auto average = static_cast<std::uint64_t>(world_.weather.between_accidents.count());
  world_.after(Duration{static_cast<std::int64_t>(world_.chance.below(2 * average) + 1)},
               [this] { accident(); });
  const std::size_t at = world_.chance.below(switches_.size());
  const std::size_t manager = world_.chance.below(managers_.size());
  const std::size_t client = world_.chance.below(clients_.size());
  ManagerSite& site = *managers_[manager].site;
  if (restarts_ && world_.chance.percent(12)) kill_manager(manager, false);
  if (one_dies_ && world_.chance.percent(12)) kill_manager(0, true);
  const double killed = plan_.servers_die ? kServersOftenKilled : kServersKilled;
  if (servers_die_ && world_.chance.percent(killed)) kill_switch_server(at);
  const double together = plan_.crash_together ? kOftenTogether : kCrashTogether;
  if (restarts_ && servers_die_ && world_.chance.percent(together)) crash_together(manager);
  if (world_.chance.percent(kDrifts)) drift(at);
  if (site.dead()) return;
  const SessionId session = site.session_with(switches_[at].name);
  const TimePoint later = world_.now + milliseconds{world_.chance.between(200, 22'000)};
  switch (world_.chance.below(14)) {
    case 0:
    case 1:
      ++world_.tally["switch sessions lost, seen by the SwitchServer"];
      switches_[at].server->detach(session);
      switch_stepped(at);
      break;
    case 2:
    case 3:
      if (session == SessionId{}) break;
      ++world_.tally["switch sessions lost, seen by the manager"];
      site.step([&](cmgr::ConnectionManager& it) {
        it.switch_lost(session, "the connection broke", world_.now);
      });
      break;
    case 4:
      ++world_.tally["partitions"];
      leg('>', manager, at).cut_until = leg('<', manager, at).cut_until = later;
      break;
    case 5: trouble_client(client, later); break;
    case 6: lose_switch(at); break;
    case 7:
      ++world_.tally["SwitchServers cut off from RouteObject"];
      leg('r', at, 0).cut_until = later;
      break;
    case 8:
      ++world_.tally["switches stopped"];
      switches_[at].device->stop_until(world_.now +
                                       milliseconds{world_.chance.between(100, 6'000)});
      break;
    case 11:
      ++world_.tally["lines that flicker"];
      switches_[at].device->flicker(
          PortId{static_cast<std::uint32_t>(world_.chance.between(1, 3))});
      break;
    case 12: switches_[at].device->reset_adjacency(); break;
    case 9:
      routes_.kill();
      world_.after(milliseconds{world_.chance.between(1, 8'000)}, [this] { routes_.start(); });
      break;
    case 10:
      ++world_.tally["RouteObject away"];
      site.routes_away_until = later;
      site.away_means_silent = world_.chance.percent(50);
      break;
    default:
      ++world_.tally["QOSMapper away"];
      site.services_away_until = later;
      site.away_means_silent = world_.chance.percent(50);
      break;
  }
}

void World::trouble_client(std::size_t index, TimePoint until) {
  const std::size_t manager = clients_[index].manager;
  Client& client = *clients_[index].client;
  switch (world_.chance.below(4)) {
    case 0: client.die(world_.chance.up_to(seconds{3})); break;
    case 1:
      if (client.session() == SessionId{}) break;
      ++world_.tally["connections of clients broken"];
      client.on_session_failed(client.session());
      break;
    default:
      ++world_.tally["clients cut off"];
      leg('c', manager, index).cut_until = leg('m', index, manager).cut_until = until;
      break;
  }
}

void World::trace(const std::string& who, const char* what) const {
  const auto now = std::chrono::floor<milliseconds>(world_.now.time_since_epoch());
  log::debug("{} ms {} {}", now.count(), who, what);
}

void World::lose_switch(std::size_t at) {
  if (!switches_[at].device->up() || dead(switches_[at])) return;
  const bool kept = world_.chance.percent(60);
  ++world_.tally[kept ? "switches lost" : "switches restarted empty"];
  trace(switches_[at].name, kept ? "loses its session" : "restarts empty");
  switches_[at].device->break_session();
  switches_[at].was_emptied = switches_[at].was_emptied || !kept;
  world_.after(milliseconds{world_.chance.between(1, 5'000)},
               [this, at, kept] { switches_[at].device->come_up(kept); });
}

// ===== SwitchServers =====

// The SwitchServer's process dies and restarts with an empty ledger. The switch keeps its table,
// and cells still flow. The managers claim their hops when they attach. A manager that is not
// there, or has not read its hops, cannot.
void World::kill_switch_server(std::size_t at, bool and_switch, std::optional<Duration> away) {
  SwitchSite& site = switches_[at];
  if (dead(site)) return;
  ++world_.tally["SwitchServers killed"];
  trace(site.name, and_switch ? "ends with its SwitchServer" : "loses its SwitchServer");
  add_up_server(at);
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    note_unclaimed(at, m);
  }
  site.device->restart_driver();  // requests on their way still arrive
  for (const CrossConnect& there : site.device->table()) site.inherited.insert(there);
  site.known = through_its_file(site, site.server->controller().known_managers());
  site.absences.clear();
  site.incarnation = Epoch{site.incarnation.value() + 1};
  make_server(at);
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    const ManagerSite& manager = *managers_[m].site;
    if (!manager.dead() && manager.has_read(site.name)) {
      site.awaited.insert(m);
    } else {
      lose_hops(at, m);
    }
  }
  site.dead_until = world_.now + (away ? *away : milliseconds{world_.chance.between(1, 5'000)});
  world_.agenda.schedule(site.dead_until, [this, at, and_switch] {
    if (and_switch) {
      switches_[at].was_emptied = true;
      switches_[at].device->come_up(false);
    } else {
      switches_[at].device->let_connect();
    }
  });
}

// A manager, and one, two or all SwitchServers, in any order.
void World::crash_together(std::size_t manager) {
  ++world_.tally["managers and SwitchServers crashed together"];
  std::vector<std::size_t> servers;
  for (std::size_t at = 0; at < switches_.size(); ++at) servers.push_back(at);
  for (std::size_t i = servers.size() - 1; i > 0; --i) {
    std::swap(servers[i], servers[world_.chance.below(i + 1)]);
  }
  const std::uint64_t dice = world_.chance.below(5);
  if (dice < 4) servers.resize(dice < 2 ? 1 : 2);
  const std::size_t turn = world_.chance.below(servers.size() + 1);  // of the manager
  Duration when = Duration::zero();
  const auto next = [&](Job crash) {
    world_.after(when, [this, crash = std::move(crash)] {
      if (loading_) crash();
    });
    if (world_.chance.percent(kGapsBetweenCrashes)) when += world_.chance.up_to(kGapBetweenCrashes);
  };
  for (std::size_t i = 0; i <= servers.size(); ++i) {
    if (i == turn) next([this, manager] { kill_manager(manager, false); });
    if (i == servers.size()) break;
    const bool and_switch = world_.chance.percent(kSwitchesToo);
    if (and_switch) ++world_.tally["switches that crash with their SwitchServer"];
    next([this, at = servers[i], and_switch] { kill_switch_server(at, and_switch); });
  }
}

bool World::awaited(std::size_t manager, std::uint32_t switches) const {
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    if ((switches & 1U << at) != 0 && switches_[at].awaited.contains(manager)) return true;
  }
  return false;
}

// ===== managers =====

void World::kill_manager(std::size_t index, bool for_good, std::optional<Duration> away) {
  ManagerPlace& place = managers_[index];
  if (place.site->dead()) return;
  ++world_.tally[for_good ? "managers killed for good" : "managers restarted"];
  trace(place.site->name(), for_good ? "is killed for good" : "is killed");
  const bool contracts_known = place.site->manager().gauges().owed == 0;
  if (!away && world_.chance.percent(kEndsInOrder)) {
    ++world_.tally["managers ended in order"];
    place.site->step([](cmgr::ConnectionManager& manager) { manager.end_client_sessions(); });
  }
  note_unsettled(index);
  place.site->kill();
  place.for_good = for_good;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    switches_[at].awaited.erase(index);
    lose_hops(at, index);
  }
  note_forgotten(index);
  if (!for_good) lose_handovers(index);
  for (ClientSite& site : clients_) {
    if (site.manager != index) continue;
    if (for_good) {
      site.client->orphaned(place.site->epoch(), contracts_known);
    } else {
      site.client->manager_killed();
    }
  }
  if (for_good) {
    world_.after(seconds{1}, [this, index] { forget_manager(index); });
  } else {
    // Its last attempts to attach are still in flight.
    for (const SwitchSite& at : switches_) {
      world_.after(world_.chance.up_to(seconds{8}),
                   [this, index, name = at.name, epoch = place.site->epoch()] {
                     if (loading_) attach(index, name, epoch);
                   });
    }
    world_.after(away ? *away : milliseconds{world_.chance.between(1, 5'000)},
                 [this, index] { restart_manager(index); });
  }
}

void World::restart_manager(std::size_t index) {
  ManagerPlace& place = managers_[index];
  place.config.epoch = next_epoch(index);
  store_epoch(index);
  check_torn_files(index);
  dead_managers_.push_back(std::move(place.site));
  place.site = make_manager(index);
  if (plan_.wrong_networks || (!plan_.is_stage() && world_.chance.percent(kWrongNetworks))) {
    learn_wrong_network(index);
  } else {
    learn_network(index);
  }
  world_.after(world_.chance.up_to(kPatience),
               [this, site = place.site.get()] { site->serve_with_switches_missing(); });
  restore_pools(index);
  if (world_.lines) place.site->watch_topology();
}

// As the daemon does with the file of its --state-dir.
void World::restore_pools(std::size_t manager) {
  ManagerPlace& place = managers_[manager];
  if (place.pools.empty()) return;
  const auto kept = cmgr::pools_from_text(place.pools, "the file of " + place.site->name());
  if (!kept) return world_.violated(kept.error().text);
  for (const cmgr::KeptPool& pool : cmgr::pools_at_start(*kept, {}).valid) {
    ++world_.tally["pools that came back"];
    place.site->step([&](cmgr::ConnectionManager& it) {
      if (!it.prepare_mapped(pool.from, pool.to, pool.service, pool.count, world_.now)) {
        world_.violated(place.site->name() + " refuses a pool that it had");
      }
    });
  }
}

void World::learn_network(std::size_t manager) {
  std::vector<std::string> names;
  for (const SwitchSite& site : switches_) names.push_back(site.name);
  managers_[manager].exchanged.clear();
  std::vector<cmgr::NetworkEnd> ends;
  for (std::size_t at = 0; at < network_.size(); ++at) {
    ends.push_back({Network::endpoint(at), Network::switch_name(at), Network::kHost});
  }
  managers_[manager].site->learn_network(names, links(), ends);
}

std::vector<cmgr::NetworkLink> World::links() const {
  std::vector<cmgr::NetworkLink> links;
  for (const Network::Port& line : network_.lines()) {
    const auto far = network_.far_end(line.first, line.second);
    if (!far) continue;
    links.push_back({switches_[line.first].name, line.second, switches_[far->first].name,
                     far->second, network_.rate(line.first, line.second)});
  }
  return links;
}

// RouteObject was started with a wrong file: links are missing, or exchanged, or one too many is at
// the port of an endpoint. Later the operator corrects it.
void World::learn_wrong_network(std::size_t index) {
  std::vector<std::string> names;
  for (const SwitchSite& site : switches_) names.push_back(site.name);
  std::vector<cmgr::NetworkLink> links = this->links();
  const auto some = [&] { return world_.chance.below(links.size()); };
  switch (world_.chance.below(3)) {
    case 0:
      ++world_.tally["networks without some links"];
      for (std::uint64_t left = world_.chance.between(1, 2); left != 0; --left) {
        links.erase(links.begin() + static_cast<std::ptrdiff_t>(some()));
      }
      break;
    case 1: {
      ++world_.tally["networks with links exchanged"];
      const std::size_t one = some();
      const std::size_t other = (one + world_.chance.between(1, links.size() - 1)) % links.size();
      std::swap(links[one].other_switch_name, links[other].other_switch_name);
      std::swap(links[one].other_port, links[other].other_port);
      for (const std::size_t link : {one, other}) {
        const cmgr::NetworkLink& wrong = links[link];
        managers_[index].exchanged.emplace(index_of(wrong.switch_name), wrong.port);
        managers_[index].exchanged.emplace(index_of(wrong.other_switch_name), wrong.other_port);
        managers_[index].misled_at.insert(managers_[index].exchanged.begin(),
                                          managers_[index].exchanged.end());
      }
      break;
    }
    default: {
      ++world_.tally["networks with a link too many"];
      const std::size_t at = world_.chance.below(names.size());
      const std::size_t other = (at + 1) % names.size();
      links.push_back({names[at], Network::kHost, names[other], Network::kHost});
      break;
    }
  }
  note_misled(index);
  for (ClientSite& site : clients_) {
    if (site.manager != index) continue;
    for (auto& [request, call] : site.client->calls()) note_lost_call(site, call);
  }
  // No call takes a path over it: RouteObject has the right network for them.
  managers_[index].site->learn_network(names, links, {});
  world_.after(milliseconds{world_.chance.between(1'000, 10'000)},
               [this, index, site = managers_[index].site.get()] {
                 if (managers_[index].site.get() == site && !site->dead()) learn_network(index);
               });
}

// The manager ended before any ledger had received a handover: the next manager does not learn that
// a client has the prepared connection, and takes it for its own.
void World::lose_handovers(std::size_t manager) {
  std::set<HopKey> owed;
  for (const SwitchSite& at : switches_) {
    const cmgr::ManagerView view = managers_[manager].site->manager().view_of(at.name);
    owed.insert(view.owed.begin(), view.owed.end());
  }
  for (const auto& [shown, own] : own_ids_) {
    if (shown.first != manager || shown.second == own) continue;
    // Where ledgers are lost as well, note_lost_call() says what becomes of it.
    if (lost_hops_.contains({manager, own})) continue;
    // Only if it was still to be handed over: a modify under way has the handover that was owed.
    const auto about = managers_[manager].site->manager().describe(shown.second);
    const cmgr::State state = about ? about->connection.state() : cmgr::State::kConnected;
    const bool modified = state == cmgr::State::kModifying || state == cmgr::State::kLowering ||
                          state == cmgr::State::kRestoring;
    const auto told =
        about ? cmgr::PreparedDesk::told_hops(about->connection) : cmgr::PreparedDesk::ToldHops{};
    const bool all_owed = !told.empty() && std::ranges::all_of(told, [&](const HopKey& key) {
      return owed.contains(key);
    });
    if ((modified || all_owed) && !is_told(manager, own, shown.second)) {
      handovers_lost_.insert(shown);
    }
  }
  for (ClientSite& site : clients_) {
    if (site.manager != manager) continue;
    for (auto& [request, call] : site.client->calls()) {
      if (call.state == Call::State::kGone || !handovers_lost_.contains({manager, call.id}))
        continue;
      ++world_.tally["handovers lost with their manager"];
      call.state = Call::State::kGone;
    }
  }
}

// Releases calls that no client wants any more, as an operator does who finds them under a client's
// name. In one case the manager told the client that the call is over, and ended before it sent the
// removals to the switches. In the other case the client restarted and has forgotten the call.
void World::release_for_nobody() {
  if (!restarts_) return;
  for (std::size_t m = 0; m < managers_.size(); ++m) {
    ManagerSite& manager = *managers_[m].site;
    if (is_orphan(m)) continue;
    for (const ConnectionId id : manager.manager().list(ConnectionId{}, 100'000)) {
      const auto about = manager.manager().describe(id);
      if (!about->connection.asker()) continue;  // prepared
      const RequestId request = about->connection.asker()->request;
      bool wanted = false;
      bool given_up = false;
      bool excused = false;
      for (const ClientSite& site : clients_) {
        if (site.client->name() != about->client) continue;
        for (const auto& [setup, call] : site.client->calls()) {
          if (call.id != id) continue;
          // Told that its manager was still reading, the client has not tried to commit it again.
          given_up = call.state == Call::State::kHeld;
          wanted = call.state != Call::State::kGone && !given_up;
        }
        excused = given_up || site.client->is_over(request) || site.client->asked_twice(request);
      }
      if (wanted) continue;
      ++world_.tally["calls that came back for nobody"];
      if (!excused) {
        world_.violated(fmt::format("{}: connection {} of {} came back for nobody", manager.name(),
                                    id, about->client));
      }
      manager.step([&](cmgr::ConnectionManager& it) {
        it.release_local(RequestId{id.value()}, id, world_.now);
      });
    }
    check_reasons(m);
    release_incomplete_for_nobody(m);
  }
  run_until(world_.now + seconds{8});
  // The manager may have been busy: what it turned away is requested again.
  bool again = true;
  for (int round = 0; again && round < 15; ++round) {
    again = false;
    for (std::size_t m = 0; m < managers_.size(); ++m) {
      if (is_orphan(m)) continue;
      ManagerSite& manager = *managers_[m].site;
      for (const ConnectionId id : manager.take_busy_releases()) {
        if (!manager.manager().describe(id)) continue;
        again = true;
        ++world_.tally["releases for nobody that were busy"];
        manager.step([&](cmgr::ConnectionManager& it) {
          it.release_local(RequestId{id.value()}, id, world_.now);
        });
      }
      release_incomplete_for_nobody(m);
    }
    run_until(world_.now + seconds{4});
  }
}

// The same of incomplete calls: half set-up or half released, or prepared by the manager itself.
void World::release_incomplete_for_nobody(std::size_t m) {
  std::vector<ConnectionId> unwanted;
  const ManagerSite& manager = *managers_[m].site;
  manager.manager().recovery().for_each_incomplete([&](const cmgr::IncompleteCall& incomplete) {
    const bool wanted = std::ranges::any_of(clients_, [&](const ClientSite& site) {
      return site.manager == m && std::ranges::any_of(site.client->calls(), [&](const auto& entry) {
               // A hold that its client has not committed by now is given up, as above.
               return entry.second.id == incomplete.shown &&
                      entry.second.state != Call::State::kGone &&
                      entry.second.state != Call::State::kHeld;
             });
    });
    if (!wanted) unwanted.push_back(incomplete.shown);
  });
  for (const ConnectionId id : unwanted) {
    ++world_.tally["incomplete calls that nobody wants"];
    managers_[m].site->step([&](cmgr::ConnectionManager& it) {
      it.release_local(RequestId{id.value()}, id, world_.now);
    });
  }
}

// The operator has every SwitchServer forget the manager once it has no session there.
void World::forget_manager(std::size_t index) {
  ManagerPlace& place = managers_[index];
  place.forgotten = true;
  for (std::size_t at = 0; at < switches_.size(); ++at) {
    // What it was to remove when others have claimed stays.
    SwitchSite& there = switches_[at];
    if (there.server->controller().settling().pending()) {
      there.lost.insert(there.inherited.begin(), there.inherited.end());
    }
    const auto forgotten = switches_[at].server->forget_manager(place.site->name());
    if (!forgotten && forgotten.error().code == ErrorCode::kBadInput) place.forgotten = false;
    switch_stepped(at);
  }
  if (place.forgotten) {
    ++world_.tally["managers forgotten"];
  } else {
    world_.after(seconds{1}, [this, index] { forget_manager(index); });
  }
}

}  // namespace xbind::sim
