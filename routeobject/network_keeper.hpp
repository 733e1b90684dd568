// Plans and executes the operator's changes of the network, and stores the network in a file if
// there is one (network_file.hpp).
//
// Any thread may call; changes are executed one after the other. A change waits for the disk and,
// in a large network, for its table of paths; queries do not wait for either.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "routeobject/network/difference.hpp"
#include "routeobject/network/edit.hpp"
#include "routeobject/network_choice.hpp"
#include "routeobject/network_file.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {

struct NetworkPlan {
  std::uint64_t network_version = 0;  // of the network before
  TopologyDifference difference;
  // By link of the difference: what its calls use of it, in the direction with more of them, as
  // last reported; cells/s.
  std::vector<std::uint64_t> used;
  // On an imported file, and why change() refuses the plan unless it is forced, apart from what is
  // not drained.
  std::vector<std::string> notes;
};

class NetworkKeeper {
 public:
  struct Options {
    ImportOptions import;
    std::string file;  // empty: the network ends with the process
  };

  // `routes` must outlive this object.
  NetworkKeeper(RouteService& routes, Options options)
      : routes_(routes), options_(std::move(options)) {}

  // Once, before the first change: serves the network that choose_network() has chosen, and stores
  // it. A failure to store it is logged, and it is written as soon as that works again. `file`:
  // --topology. kSystem: a stored network that is replaced could not be renamed to
  // FILE.superseded; nothing is changed.
  Result<void> begin(NetworkChoice choice, TopologyFile file, TimePoint now);
  // What --topology lacks of the network that is served, while that is why it is not taken. Any
  // thread; does not wait for the disk.
  std::vector<std::string> topology_lacks() const;

  // Compares; changes nothing. Errors of edited() and difference(). kNotFound also: a new line at a
  // port that the switch does not have, as far as it has reported its ports.
  Result<NetworkPlan> plan(const NetworkEdit& edit) const;
  // Applies the edit whole or not at all. kBadInput also: the network's version is neither
  // `network_version` nor is that 0; the network could not be stored; and, unless `force`:
  // an element that is removed, or a switch that is no endpoint any more, is not drained; or the
  // new rate of a link is below what its calls use.
  Result<NetworkPlan> change(const NetworkEdit& edit, std::uint64_t network_version, bool force,
                             TimePoint now);

 private:
  struct Planned {
    Topology topology;
    NetworkPlan plan;
  };
  Result<Planned> planned(const NetworkEdit& edit) const;
  // With which mark the network is stored: that of --topology, once this lacks nothing of it.
  FileMark mark_for(const std::vector<std::string>& lacks) const {
    return lacks.empty() ? topology_file_.mark : stored_as_;
  }
  void set_lacks(std::vector<std::string> lacks);

  RouteService& routes_;
  const Options options_;
  std::mutex one_at_a_time_;  // also for the next two
  TopologyFile topology_file_;
  FileMark stored_as_;
  mutable std::mutex lacks_mutex_;
  std::vector<std::string> lacks_;
};

}  // namespace xbind
