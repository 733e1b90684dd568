// The operator's orders to drain: carried out, and kept in a file if there is one (drain_file.hpp).
//
// Any thread may call; one order after the other. An order waits for the disk; queries and reports
// do not.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {

class DrainKeeper {
 public:
  // `routes` outlives this. `file` empty: drains end with the process.
  DrainKeeper(RouteService& routes, std::string file) : routes_(routes), file_(std::move(file)) {}

  // Drains what an earlier life has kept. Returns those that the topology does not have (any more);
  // they are dropped with the next order.
  std::vector<PathElement> restore(const std::vector<PathElement>& kept);

  // As RouteService::drain(), and kept before it returns. kBadInput also: the file could not be
  // written; then nothing is drained that was not, and the other way round.
  Result<bool> drain(const PathElement& element, bool drained);

 private:
  RouteService& routes_;
  const std::string file_;
  std::mutex one_at_a_time_;
};

}  // namespace xbind
