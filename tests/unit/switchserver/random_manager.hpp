// What a manager of random_world.hpp knows.
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
  std::map<HopKey, HopSetup> open;             // asked for and not removed since
  std::map<std::uint64_t, HopBatch> sent;      // by token
  // Labels of hops that are gone, to be returned. In truth the other end would have to confirm
  // first.
  std::vector<std::pair<PortId, Label>> released;
  std::map<HopKey, Label> ingress;            // as told
  std::map<HopKey, Label> egress;             // as told
  std::map<HopKey, std::uint32_t> revisions;  // of modifies that were done
};

}  // namespace xbind
