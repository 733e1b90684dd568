// The state that a manager of random_world.hpp keeps.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/hop.hpp"

namespace xbind {

struct RandomManager {
  std::string name;
  std::uint64_t epoch = 1;
  std::uint64_t next_connection = 1;
  std::map<PortId, std::vector<Label>> cache;  // as granted or out of quarantine
  std::map<HopKey, HopSetup> open;             // requested and not removed since
  std::map<std::uint64_t, HopBatch> sent;      // by token
  // Labels of removed hops that it will return. A real manager would first wait for
  // the other end's confirmation.
  std::vector<std::pair<PortId, Label>> released;
  std::map<HopKey, Label> ingress;            // as reported
  std::map<HopKey, Label> egress;             // as reported
  std::map<HopKey, std::uint32_t> revisions;  // of completed modifies
};

}  // namespace xbind
