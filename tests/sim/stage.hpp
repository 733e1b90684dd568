// A world in which nothing happens by itself: the given managers with one client each, on a ring of
// switches with 64 labels a port. For tests that make each request, and each accident, themselves:
//
//     Stage stage({manager(1)}, {.bug = bug, .switches = 5});
//     const RequestId call = stage.connect(0, 1, 3);   // client 0, from switch-1 to switch-3
//     stage.kill_manager(0, seconds{2});               // it is back after two seconds
//     stage.kill_server(2, seconds{1});
//     EXPECT_EQ(stage.end(), "");                      // calm; every check of the simulator
//
// The ring has no doubled link; from four switches on it has a chord (network.hpp).
#pragma once

#include <string>
#include <vector>

#include "tests/sim/world.hpp"

namespace xbind::sim {

class Stage {
 public:
  static constexpr std::size_t kLabels = 64;  // of the link from switch-0 to switch-1

  struct Options {
    Bug bug = Bug::kNone;
    std::size_t switches = 3;
    bool lines = true;       // they are watched, and cells are followed
    std::uint64_t seed = 1;  // of delays, and of what no test depends on
  };

  Stage(std::vector<cmgr::Config> managers, const Options& options)
      : world_({.seed = options.seed,
                .bug = options.bug,
                .managers = std::move(managers),
                .switches = options.switches,
                .lines = options.lines}) {
    world_.start();
  }

  void wait(Duration time) {
    world_.run_until(world_.world_.now + time);
    look();
  }

  // ===== calls =====

  // Sets up a call from one switch's host to another's and waits until it is up, for a second at
  // most. Its setup request names it.
  RequestId connect(std::size_t client, std::size_t from, std::size_t to,
                    std::uint64_t cells_per_s = 1) {
    ask(client, from, to, cells_per_s);
    wait(seconds{1});
    return world_.clients_[client].client->calls().rbegin()->first;
  }
  // Each manager prepares this number of connections from switch-0 to switch-1.
  void prepare(std::size_t connections) {
    world_.set_pools(connections);
    wait(seconds{1});
  }
  // Takes one of them. Does not wait.
  void take_prepared(std::size_t client) {
    ConnectRequest wanted;
    wanted.from = World::kPoolFrom;
    wanted.to = World::kPoolTo;
    wanted.service = World::kPoolService;
    client_at(client).connect(wanted);
  }
  void add_leaf(std::size_t client, RequestId call, std::size_t to) {
    client_at(client).leaf(client_at(client).calls().at(call), Network::endpoint(to), false);
    wait(seconds{1});
  }
  void drop_leaf(std::size_t client, RequestId call, std::size_t to) {
    client_at(client).leaf(client_at(client).calls().at(call), Network::endpoint(to), true);
    wait(seconds{1});
  }
  // Does not wait.
  void modify(std::size_t client, RequestId call, std::uint64_t cells_per_s) {
    client_at(client).modify(client_at(client).calls().at(call),
                             {ServiceKind::kCells, cells_per_s, 0, 0, 0}, std::nullopt);
  }
  // Does not wait.
  void release(std::size_t client, RequestId call) {
    client_at(client).release(client_at(client).calls().at(call));
  }
  bool is_up(std::size_t client, RequestId call) const {
    const Call& it = world_.clients_[client].client->calls().at(call);
    return it.promised() && it.quiet();
  }

  // Requests `calls` calls over that link and waits a second.
  void ask(std::size_t client, std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) ask(client, 0, 1, 1);
    wait(seconds{1});
  }
  // Requests calls until `calls` are up, like a client that retries after a refusal; gives up after
  // 15 s. Returns how many are up.
  std::size_t fill(std::size_t client, std::size_t calls) {
    for (int round = 0; round < 15 && up(client) < calls; ++round) ask(client, calls - up(client));
    return up(client);
  }
  void release_all(std::size_t client) {
    for (auto& [request, call] : client_at(client).calls()) {
      if (call.promised()) client_at(client).release(call);
    }
    wait(seconds{1});
  }
  std::size_t up(std::size_t client) const {
    std::size_t count = 0;
    for (const auto& [request, call] : world_.clients_[client].client->calls()) {
      count += call.promised() && call.quiet() ? 1 : 0;
    }
    return count;
  }

  // ===== accidents: each at this moment, and over after that time =====

  void kill_for_good(std::size_t manager) { world_.kill_manager(manager, true); }
  bool forgotten(std::size_t manager) const { return world_.managers_[manager].forgotten; }
  void kill_manager(std::size_t manager, Duration away) {
    world_.restarts_ = true;
    world_.kill_manager(manager, false, away);
  }
  void kill_server(std::size_t at, Duration away) { world_.kill_switch_server(at, false, away); }
  // The switch restarts with it, and loses its table.
  void kill_server_and_switch(std::size_t at, Duration away) {
    world_.kill_switch_server(at, true, away);
  }
  // The switch alone, which loses its table.
  void restart_switch(std::size_t at, Duration away) {
    world_.switches_[at].was_emptied = true;
    world_.switches_[at].device->break_session();
    world_.world_.after(away, [this, at] { world_.switches_[at].device->come_up(false); });
  }
  // An operator drains the line: connections leave it.
  void drain(const Network::Port& line) {
    world_.routes_.drain(line, true);
    world_.network_.set_drained(line, true);
  }
  // The line goes down and comes up twice: its port begins a new session.
  void flicker(std::size_t at, PortId port) { world_.switches_[at].device->flicker(port); }
  // A request to attach that an earlier epoch of the manager has sent arrives.
  void attach_late(std::size_t manager, std::size_t at, Epoch epoch) {
    world_.attach(manager, Network::switch_name(at), epoch);
  }
  // No message passes between them, and neither notices.
  void cut(std::size_t manager, std::size_t at, Duration away) {
    world_.leg('>', manager, at).cut_until = world_.leg('<', manager, at).cut_until =
        world_.world_.now + away;
  }
  // One side alone notices that their session is over.
  void manager_loses(std::size_t manager, std::size_t at) {
    ManagerSite& site = *world_.managers_[manager].site;
    site.step([&](cmgr::ConnectionManager& it) {
      it.switch_lost(site.session_with(Network::switch_name(at)), "the connection broke",
                     world_.world_.now);
    });
  }
  void server_loses(std::size_t at, std::size_t manager) {
    const ManagerSite& site = *world_.managers_[manager].site;
    world_.switches_[at].server->detach(site.session_with(Network::switch_name(at)));
    world_.switch_stepped(at);
  }

  // ===== checks =====

  // Checks what holds at every moment and returns the first violation, or an empty string.
  std::string violation() {
    look();
    for (std::size_t at = 0; at < world_.switches_.size(); ++at) world_.check_holders(at);
    return world_.world_.violation;
  }
  // Lets all accidents end, checks the calls, releases them, and checks that nothing is left.
  std::string end() {
    look();
    if (world_.world_.violation.empty()) world_.calm_down();
    return world_.world_.violation;
  }
  const Tally& tally() const { return world_.tally(); }

 private:
  Client& client_at(std::size_t client) { return *world_.clients_[client].client; }

  void ask(std::size_t client, std::size_t from, std::size_t to, std::uint64_t cells_per_s) {
    ConnectRequest wanted;
    wanted.from = Network::endpoint(from);
    wanted.to = Network::endpoint(to);
    wanted.service = {ServiceKind::kCells, cells_per_s, 0, 0, 0};
    client_at(client).connect(wanted);
  }
  void look() {
    for (std::size_t at = 0; at < world_.switches_.size(); ++at) {
      world_.check_switch(at);
      world_.check_links(at);
      world_.check_unclaimed(at);
    }
    for (std::size_t m = 0; m < world_.managers_.size(); ++m) {
      world_.check_caches(m);
      world_.check_holds(m);
    }
  }

  World world_;
};

}  // namespace xbind::sim
