// Hops that managers claim after their SwitchServer has lost its ledger, while its switch may have
// their cross-connects.
//
// What the switch lacks of claimed hops is put back; but hops that a manager has rebuilt are taken
// only with their entries (rebuilt_hops.hpp). Until every manager that is known has claimed all
// (settling.hpp), the switch admits nothing new: setups are refused kSwitchUnreachable, and no
// label or quota is granted. If it is not known which managers there were, this applies to ports at
// which an entry begins or ends that no hop claims. Afterwards such an entry stays, and its labels
// are blocked.
//
// A hop to be removed whose entry may be another manager's is *uncertain*: it is no hop yet. Once
// every manager has claimed all, the entries that are left are removed for the uncertain hops; if
// that never happens, they are given up when the wait is over. At most LedgerOptions::hops_max.
//
// One thread. Refusals are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "switchserver/controller/rebuilt_hops.hpp"
#include "switchserver/ledger/label_pool.hpp"

namespace xbind::controller {

struct Parts;

class Claims {
 public:
  explicit Claims(Parts& parts) : parts_(parts) {}

  // ---- managers ----

  // The index names another manager from now on.
  void begin(ManagerIndex manager);
  // Whether hops of that name may be missing in the ledger.
  bool awaited_from(ManagerIndex manager) const;
  // The manager has claimed all its hops, or will claim none.
  void complete(ManagerIndex manager);
  // The manager never returns: the removals that it owes are not repeated.
  void forget(ManagerIndex manager);

  // ---- claims ----

  // See SwitchController::claim().
  Result<ClaimsTaken> take(std::string_view manager, const HopClaims& page, TimePoint now);
  // Every manager may have claimed all by now.
  void settle_uncertain();
  // The wait for claims may be over.
  void on_time(TimePoint now);

  // ---- what has to wait ----

  // Whether the port waits for claims. A switch that has restarted, too, does not show what may
  // still be claimed of it.
  bool awaited_at(PortId port) const;
  // Whether a new hop between these ports is admitted now.
  bool admits_new(PortId input, PortId output) const;
  // Whether the hop, which is not in the ledger, waits to be removed until others have claimed.
  bool waits_for_others(ManagerIndex manager, const HopKey& key);

  // ---- uncertain hops ----

  std::size_t uncertain() const { return uncertain_.size(); }
  std::size_t uncertain_of(ManagerIndex manager) const;
  // Adds the epochs of the calls that the manager's uncertain hops belong to.
  void add_epochs_of(ManagerIndex manager, std::set<std::uint64_t>& epochs) const;
  // A page of SwitchController::held_hops(); `from`: kUncertainFrom for the first one.
  static constexpr std::uint64_t kUncertainFrom = std::uint64_t{1} << 63;
  HeldHops page_of(ManagerIndex manager, std::uint64_t from, std::size_t most,
                   std::vector<std::uint64_t>* places) const;

 private:
  struct Claimant {        // by ManagerIndex
    bool compare = false;  // it has claimed hops that are not compared with the switch yet
    bool claimed_all = false;
  };

  Claimant& claimant(ManagerIndex manager);
  void claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner,
             ClaimsTaken& taken);
  bool enter(ManagerIndex manager, const LedgerHop& hop, std::uint32_t owner, ClaimsTaken& taken);
  void claim_rebuilt(ManagerIndex manager, const HopClaims& page,
                     const std::vector<std::uint32_t>& owners, ClaimsTaken& taken);
  void refuse_second(ManagerIndex manager, RebuiltHop& one) const;
  void refuse(const LedgerHop& hop, Cause cause, std::uint64_t asked, ClaimsTaken& taken);

  Parts& parts_;
  std::vector<Claimant> claimants_;
  std::map<std::pair<ManagerIndex, HopKey>, LedgerHop> uncertain_;
};

}  // namespace xbind::controller
