// World: counts the situations that the machine of a hop is about. sim_test.cpp requires that each
// occurs: worlds without it prove nothing about it. Of the pairs that are rows of the machine
// (hop_fsm.hpp), the ledgers count themselves.
#include <algorithm>

#include "cmgr/procedures/leaf.hpp"
#include "cmgr/procedures/modify.hpp"
#include "cmgr/procedures/reroute.hpp"
#include "tests/sim/world.hpp"

namespace xbind::sim {

// Before the SwitchServer hears of the event.
void World::note_situation(std::size_t at, const driver::Event& event) {
  const auto* const ports = std::get_if<driver::Ports>(&event);
  if (ports != nullptr) {
    note_renewed(at, *ports);
  } else if (std::holds_alternative<driver::Up>(event)) {
    note_restore(at);
  }
}

void World::note_renewed(std::size_t at, const driver::Ports& ports) {
  if (ports.renewed.empty()) return;
  const Ledger& book = ledger(at);
  book.hops().for_each([&](HopRef ref, const HopRecord& record) {
    const PortId input = book.hops().cross_connect(record).input_port;
    if (std::ranges::find(ports.renewed, input) == ports.renewed.end()) return;
    const HopFsm::State state = record.state();
    const bool adding = state == HopFsm::State::kAdding || state == HopFsm::State::kAddingStale;
    const bool changing =
        state == HopFsm::State::kChanging || state == HopFsm::State::kChangingStale;
    if (adding && book.stacks().below(ref)) ++world_.tally["ports renewed during a take-over"];
    if (book.stacks().superseded(ref)) ++world_.tally["ports renewed below a take-over"];
    if (changing) ++world_.tally["ports renewed with a modify open"];
    if (record.key.leg >= 2 && record.key.hop == 0) ++world_.tally["ports of branches renewed"];
  });
}

// The switch is back, and gets what it lacks.
void World::note_restore(std::size_t at) {
  const Ledger& book = ledger(at);
  book.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.stage() != HopStage::kCommitted) return;
    if (record.key.leg >= 2 && record.key.hop == 0) ++world_.tally["branches restored"];
    if (book.stacks().below(ref)) ++world_.tally["hops restored that have taken over"];
    const std::string_view whose = book.managers().name(record.manager);
    for (const ManagerPlace& place : managers_) {
      if (place.site->name() != whose || place.site->dead()) continue;
      const auto about = place.site->manager().describe(record.key.connection);
      const cmgr::Procedure* const under_way = about ? about->connection.procedure.get() : nullptr;
      if (dynamic_cast<const cmgr::Modify*>(under_way) == nullptr) continue;
      ++world_.tally["hops restored with a modify open"];
    }
  });
}

// Before the SwitchServer takes the claims.
void World::note_claims(std::size_t manager, const HopClaims& page) {
  for (const LedgerHop& hop : page.hops) {
    if (hop.key.leg >= 2) ++world_.tally["hops of leaves claimed"];
    const auto about = managers_[manager].site->manager().describe(
        hop.shown_id == ConnectionId{} ? hop.key.connection : hop.shown_id);
    const cmgr::Procedure* const under_way = about ? about->connection.procedure.get() : nullptr;
    if (dynamic_cast<const cmgr::Modify*>(under_way) != nullptr) {
      ++world_.tally["hops claimed during a modify"];
    } else if (dynamic_cast<const cmgr::Reroute*>(under_way) != nullptr) {
      ++world_.tally["hops claimed during a change of path"];
    } else if (dynamic_cast<const cmgr::LeafProcedure*>(under_way) != nullptr) {
      ++world_.tally["hops claimed during a change of leaves"];
    }
  }
}

// At a check of the whole switch.
void World::note_generations(std::size_t at) {
  const HopStacks& stacks = ledger(at).stacks();
  ledger(at).hops().for_each([&](HopRef ref, const HopRecord&) {
    const auto below = stacks.below(ref);
    if (!below) return;
    ++world_.tally["hops of two generations"];
    if (stacks.below(*below)) ++world_.tally["hops of three generations"];
  });
}

}  // namespace xbind::sim
