// World: programs that know the contracts and mean harm. What they do must not last.
#include <fmt/format.h>

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
  if (forgers_.percent(20)) {
    hoard(forgers_.below(switches_.size()));
  } else if (forgers_.percent(60)) {
    forge_client(forgers_.below(clients_.size()));
  } else if (world_.lines) {
    forge_report(forgers_.below(switches_.size()));
  }
}

// Attaches under a client's name, with an epoch that nobody can exceed.
void World::forge_client(std::size_t index) {
  Client& client = *clients_[index].client;
  ManagerSite& site = *managers_[clients_[index].manager].site;
  if (!site.serves()) return;
  ++world_.tally["clients forged"];
  SessionId session;
  site.step([&](cmgr::ConnectionManager& manager) {
    const Epoch last{~std::uint64_t{0} - forgers_.below(2)};
    const auto attached = manager.attach_client(client.name(), last, world_.now);
    if (attached) session = attached->session;
  });
  if (session != SessionId{}) client.another_life();
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

// Attaches as a manager and takes all that it is granted of each port. Not where SwitchServers die:
// one that comes back would wait for its claims.
void World::hoard(std::size_t at) {
  SwitchSite& site = switches_[at];
  if (servers_die_ || dead(site) || !site.server->controller().up()) return;
  const auto attached = site.server->attach("hoarder", Epoch{1}, world_.now);
  if (!attached) return;
  ++world_.tally["hoarders"];
  for (const SwitchPort& port : ledger(at).ports().present()) {
    constexpr std::uint64_t kMuch = 1'000'000;
    (void)site.server->grant(attached->session, port.port, kMuch, {kMuch, kMuch}, world_.now);
    const auto hoarder = ledger(at).managers().find("hoarder");
    const PortUsage usage = ledger(at).usage(port.port).value_or(PortUsage{});
    const PortHolding has =
        hoarder ? ledger(at).grants().holding(*hoarder, port.port) : PortHolding{};
    const auto above = [](std::uint64_t part, std::uint64_t all) {
      return part > all / 100 * kUnusedPercent + kUnusedPercent;
    };
    if (above(has.labels_unused, ledger(at).labels().output_stock(port.port).all) ||
        above(has.unused.cells_per_s, usage.capacity.cells_per_s)) {
      world_.violated(
          fmt::format("{} port {}: a hoarder has {} labels and {} cells/s without a call",
                      site.name, port.port, has.labels_unused, has.unused.cells_per_s));
    }
  }
  site.server->detach(attached->session);
  (void)site.server->forget_manager("hoarder");
  switch_stepped(at);
}

}  // namespace xbind::sim
