// RouteObject's process in the world: the production RouteService (its Router, its graphs) and the
// list of watchers. Drains survive its death, as with --state-dir; it learns everything else again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmgr/parts/route_cache.hpp"
#include "routeobject/route_service.hpp"
#include "routeobject/watch_list.hpp"
#include "switchserver/port_reporter.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

class RouteSite {
 public:
  // Small, so that every seed sees many of these events; production uses several seconds.
  static constexpr SwitchTrustOptions kTrust{
      .lost = seconds{1}, .silent = seconds{6}, .trust = seconds{1}};
  static constexpr std::uint32_t kValidityMs = 2'000;

  struct Watched {
    TopologyState state;
    Duration validity{};
    std::uint64_t life = 0;  // number of the process's life
  };
  // Sends a notice to the watcher of that name.
  using Tell = std::function<void(const std::string& watcher, const TopologyState& state)>;

  RouteSite(Surroundings& world, const Network& network, Tell tell);

  bool dead() const { return service_ == nullptr; }
  void kill();
  void start();

  // While RouteObject is dead, each of these returns nothing or false.
  std::optional<cmgr::RouteReply> route(const cmgr::RouteQuery& query) const;
  std::optional<Watched> watch(const std::string& watcher);
  std::optional<ReportAnswer> report(const std::string& switch_name, const SwitchReport& report);
  bool drain(const Network::Port& line, bool drained);
  // Toggles the drain of the island's access line.
  bool drain_island();

  // The condition that RouteObject believes in; it must not be dead.
  const NetworkCondition& condition() const { return *condition_; }
  bool unknown(std::size_t at) const { return !dead() && condition_->unknown_switches[at] != 0; }
  // A random state that was in force earlier.
  const TopologyState& some_earlier();
  // Adds its counters to the tally, with those of earlier lives.
  void add_up();

 private:
  void tick(std::uint64_t life);
  void notify_if_changed(bool risen);

  Surroundings& world_;
  const Network& network_;
  Tell tell_;
  std::unique_ptr<RouteService> service_;  // null: dead
  std::shared_ptr<const NetworkCondition> condition_;
  std::unique_ptr<WatchList> watchers_;
  std::map<std::string, std::uint64_t> registrations_;
  std::vector<PathElement> drains_;
  std::vector<TopologyState> states_;
  std::uint64_t life_ = 0;
};

}  // namespace xbind::sim
