// A world in which nothing happens by itself: the given managers with one client each, on the ring
// of three switches with 64 labels a port. For tests that make each request themselves.
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

  // Requests `calls` calls over that link and waits a second.
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
  // Requests calls until `calls` are up, like a client that retries after a refusal; gives up after
  // 15 s. Returns how many are up.
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

  // Checks everything and returns the first violation, or an empty string.
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
