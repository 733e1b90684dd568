// World: programs that know the contracts and mean harm. What they do must not last.
#include "tests/sim/world.hpp"

namespace xbind::sim {
namespace {

constexpr Duration kBetweenForgeries = seconds{3};  // on average
constexpr Duration kSessionLasts = seconds{2};      // of a forger, at most
constexpr double kTellsGoodbye = 50;  // percent of them; of others the manager notices the silence

}  // namespace

void World::forge() {
  if (!loading_) return;
  world_.after(forgers_.up_to(2 * kBetweenForgeries), [this] { forge(); });
  if (forgers_.percent(60)) {
    forge_client(forgers_.below(clients_.size()));
  } else if (world_.lines) {
    forge_report(forgers_.below(switches_.size()));
  }
}

// Attaches under a client's name, with an epoch that nobody can exceed.
void World::forge_client(std::size_t index) {
  const Client& client = *clients_[index].client;
  ManagerSite& site = *managers_[clients_[index].manager].site;
  if (!site.serves()) return;
  ++world_.tally["clients forged"];
  SessionId session;
  site.step([&](cmgr::ConnectionManager& manager) {
    const Epoch last{~std::uint64_t{0} - forgers_.below(2)};
    const auto attached = manager.attach_client(client.name(), last, world_.now);
    if (attached) session = attached->session;
  });
  if (!forgers_.percent(kTellsGoodbye)) return;
  world_.after(forgers_.up_to(kSessionLasts), [&site, session] {
    if (site.dead()) return;
    site.step([session](cmgr::ConnectionManager& manager) { manager.detach_client(session); });
  });
}

// Reports that a SwitchServer, which has just started, has lost its switch.
void World::forge_report(std::size_t at) {
  if (routes_.dead()) return;
  ++world_.tally["reports forged"];
  routes_.report(switches_[at].name, {.number = 1, .incarnation = {}, .ports = {}});
}

}  // namespace xbind::sim
