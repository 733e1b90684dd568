// The managers of a ledger: their names, whether they have a session, and how many hops they have.
//
// Invariants: no two managers have the same name. At most `most` names are stored. A name keeps its
// place (ManagerIndex) until it is forgotten with its last hop; the place is then vacant, and a
// later name may get it. A manager with a session is not forgotten.
//
// The table only counts hops: the ledger adds and removes one with each record. Name look-ups take
// time by the number of managers, everything else constant time. One thread. XB_CHECK: forget() of
// a manager in session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "switchserver/ledger/label_pool.hpp"

namespace xbind {

class ManagerTable {
 public:
  explicit ManagerTable(std::size_t most) : most_(most) {}

  // The place of that name, new or known. kExhausted: `most` names are stored. kBadInput: no name.
  Result<ManagerIndex> enter(std::string_view name);
  std::optional<ManagerIndex> find(std::string_view name) const;
  const std::string& name(ManagerIndex manager) const { return managers_[manager.value()].name; }
  std::size_t size() const { return managers_.size(); }  // places below it may be in use

  bool in_session(ManagerIndex manager) const { return managers_[manager.value()].in_session; }
  void open_session(ManagerIndex manager);
  void end_session(ManagerIndex manager) { managers_[manager.value()].in_session = false; }
  // Whether the operator has said that it will not return (forget()).
  bool forgotten(ManagerIndex manager) const { return managers_[manager.value()].forgotten; }
  // The name goes with the last hop, unless a session of the manager is opened before. Returns the
  // number of hops left.
  std::uint64_t forget(ManagerIndex manager);

  std::uint64_t hops(ManagerIndex manager) const { return managers_[manager.value()].hops; }
  void add_hop(ManagerIndex manager) { ++managers_[manager.value()].hops; }
  void remove_hop(ManagerIndex manager) {
    Manager& of = managers_[manager.value()];
    if (--of.hops == 0 && of.forgotten) of = {};
  }

 private:
  struct Manager {
    std::string name;  // empty: the place is vacant
    std::uint64_t hops = 0;
    bool in_session = false;
    bool forgotten = false;  // the name goes with the last hop
  };

  std::vector<Manager> managers_;
  std::size_t most_;
};

}  // namespace xbind
