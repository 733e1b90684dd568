// Plans and executes the operator's changes of the network, and stores the network in a file if
// there is one (network_file.hpp).
//
// Any thread may call; changes are executed one after the other. A change waits for the disk and,
// in a large network, for its table of paths; queries do not wait for either.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "routeobject/network/difference.hpp"
#include "routeobject/network/edit.hpp"
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
    std::string file;       // empty: a changed network ends with the process
    FileMark topology_file;  // of the text of --topology
  };

  // `routes` must outlive this object.
  NetworkKeeper(RouteService& routes, Options options)
      : routes_(routes), options_(std::move(options)) {}

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

  RouteService& routes_;
  const Options options_;
  std::mutex one_at_a_time_;
};

}  // namespace xbind
