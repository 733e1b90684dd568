// Executes the operator's drain orders, and stores them in a file if there is one (drain_file.hpp).
//
// Any thread may call; orders are executed one after the other. An order waits for the disk;
// queries and reports do not.
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
  // `routes` must outlive this object. An empty `file`: drains end with the process.
  DrainKeeper(RouteService& routes, std::string file) : routes_(routes), file_(std::move(file)) {}

  // Drains the elements that an earlier process stored. Returns those that the topology does not
  // have (any more); the next order drops them from the file.
  std::vector<PathElement> restore(const std::vector<PathElement>& kept);

  // As RouteService::drain(); the order is stored before the return. kBadInput also: the file could
  // not be written; the order is then undone.
  Result<bool> drain(const PathElement& element, bool drained);
  // Stores the drains after the network has changed: those of removed elements have ended.
  // kSystem: the file could not be written; it is written as soon as that works again.
  Result<void> store();

 private:
  RouteService& routes_;
  const std::string file_;
  std::mutex one_at_a_time_;
};

}  // namespace xbind
