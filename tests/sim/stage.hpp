// A world in which nothing happens by itself: given managers with a client each, on the ring of three
// switches, 64 labels a port. For tests that say what is asked for.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/world.hpp"

namespace xbind::sim {

class Stage {
 public:
  static constexpr std::size_t kLabels = 64;  // of the link from switch-0 to switch-1

  explicit Stage(std::vector<cmgr::Config> managers)
      : world_({.seed = 1, .managers = std::move(managers)}) {
    world_.start();
  }

  void wait(Duration time) { world_.run_until(world_.world_.now + time); }

  // Asks for so many calls over that link; a second later.
  void ask(std::size_t client, std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) {
      ConnectRequest wanted;
      wanted.from = Network::endpoint(0);
      wanted.to = Network::endpoint(1);
      wanted.service = {ServiceKind::kCells, 1, 0, 0, 0};
      world_.clients_[client].client->connect(wanted);
    }
    wait(seconds{1});
  }
  // Asks until so many are up, as a client would that is refused and tries again; gives up after 15 s.
  // Answers how many are up.
  std::size_t fill(std::size_t client, std::size_t calls) {
    for (int round = 0; round < 15 && up(client) < calls; ++round) ask(client, calls - up(client));
    return up(client);
  }
  void release_all(std::size_t client) {
    for (auto& [request, call] : world_.clients_[client].client->calls()) {
      if (call.promised()) world_.clients_[client].client->release(call);
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
  void kill_for_good(std::size_t manager) { world_.kill_manager(manager, true); }
  bool forgotten(std::size_t manager) const { return world_.managers_[manager].forgotten; }

  // What the checks have found, after a look at everything.
  std::string violation() {
    for (std::size_t at = 0; at < world_.switches_.size(); ++at) {
      world_.check_switch(at);
      world_.check_holders(at);
    }
    return world_.world_.violation;
  }

 private:
  World world_;
};

}  // namespace xbind::sim
