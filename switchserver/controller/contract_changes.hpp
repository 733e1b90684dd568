// Modifies of hops, and how the switch is informed of them.
//
// A modify that changes the traffic contract of a committed hop is sent to the switch: an add of
// the existing cross-connect with the new contract. While it is under way, the hop holds the
// greater of both demands. A modify that asks for more in any component is done when the switch has
// confirmed it; it is undone if the switch refuses or does not answer. One that asks for less is
// done in any case. If the contract in the switch may then differ from the ledger (HopFsm, stale),
// it is sent again when the table is read again. A modify that arrives meanwhile waits; a third one
// replaces the second, which is then refused as stale. While the switch is away, a modify that
// lowers its demand is still done.
//
// At most one change of a hop is open. One thread; refusals are answers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/audit.hpp"
#include "core/hop.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

struct Parts;

class ContractChanges {
 public:
  explicit ContractChanges(Parts& parts) : parts_(parts) {}

  // A command of a manager.
  void modify(Place place, ManagerIndex manager, const HopModify& wanted);
  // Whether the open add of the hop is a change.
  bool has(HopRef ref) const { return !open_.empty() && open_.contains(ref); }
  // The switch has answered the change of this hop, or never will.
  void on_answer(HopRef ref, Cause cause, std::uint8_t failure_code);
  // The hop is gone: whoever waits for its change is refused.
  void forget(HopRef ref);
  // Sets in `hop` what nothing can refuse of a change under way: its manager may be another one by
  // the time of the answer.
  void describe(HopRef ref, LedgerHop& hop) const;

 private:
  struct Change {  // being sent to the switch
    HopModify wanted;
    std::uint32_t had_revision = 0;  // the state that a refusal restores
    Resources had;
    TrafficContract had_contract;
    bool refusable = false;  // some component asks for more
    std::uint32_t waiters = HopRecord::kNil;
    std::optional<HopModify> next{};
    std::uint32_t next_waiters = HopRecord::kNil;
  };

  void change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted, bool reachable);
  void queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted);
  void send(HopRef ref, std::uint32_t waiters, const HopModify& wanted);
  void refuse_released(Change& change);

  Parts& parts_;
  std::unordered_map<HopRef, Change> open_;
};

}  // namespace xbind::controller
