// The changes of the connection table: one kind for each changing operation of ConnectionTable. A
// journal that receives all of them can rebuild the same table.
//
// Not included: which command a hop was sent last and whether it was answered. A connection that is
// being set up has no path here before it is held or connected.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cmgr/parts/connection.hpp"

namespace xbind::cmgr {

struct Opened {
  OptionalAsker asker;
  std::string_view from;  // valid during write()
  std::string_view to;
  Contract contract;
  bool both = false;
  std::uint32_t pool = 0;
};
// The connection is held, or connected, over these hops.
struct Reached {
  Stage stage = Stage::kUp;
  const HopTree* hops = nullptr;  // valid during write(); so are the other pointers
};
// The connection of an earlier epoch was rebuilt from the ledgers. Opened and NumbersUsed precede
// it.
struct Restored {
  Stage stage = Stage::kUp;
  std::vector<Leaf> leaves;
  bool first_end_dropped = false;
  const HopTree* hops = nullptr;
};
struct ContractSet {
  Contract contract;
};
// Numbers that have been used and must not be used again.
struct NumbersUsed {
  std::uint32_t generation = 1;
  std::uint32_t revision = 0;
  std::uint16_t next_leg = 2;
};
struct LeafJoined {
  std::string end;
  const HopTree* hops = nullptr;
};
struct LeafCut {
  std::string end;
};
struct PathReplaced {
  const std::vector<HopTree::Step>* steps = nullptr;
  const HopTree* hops = nullptr;
  std::uint32_t generation = 1;
};
// A prepared connection goes to a client under an alias; or (HandedBack) becomes the manager's own
// again.
struct Assigned {
  Asker asker;
  ConnectionId alias;
};
struct HandedBack {};
// The connection no longer has its pool's contract.
struct LeftPool {};
struct ReleaseBegun {};
struct Closed {};

struct Change {
  ConnectionId connection;
  std::variant<Opened, Reached, Restored, ContractSet, NumbersUsed, LeafJoined, LeafCut,
               PathReplaced, Assigned, HandedBack, LeftPool, ReleaseBegun, Closed>
      what;
};

class Journal {
 public:
  virtual ~Journal() = default;
  virtual void write(const Change& change) = 0;
};

}  // namespace xbind::cmgr
