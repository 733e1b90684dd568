// The ledger of one switch: which manager holds which labels, bandwidth, buffer and hops.
//
// The ledger alone decides what is admitted; it never talks to the switch. The controller
// (switch_controller.hpp) queries it, programs the switch and reports the outcome back:
//
//     from          by                           to
//     ────────────  ───────────────────────────  ─────────────────────────────────────────
//     nothing       set_up(reserve)              reserved
//     nothing       set_up(commit)               committing
//     reserved      set_up(commit)               committing
//     reserved      begin_removal()              nothing
//     reserved      lapse(), forget_manager()    nothing; a held one survives lapse()
//     reserved      set_up(commit), refused      nothing
//     committing    step(kAdded)                 committed
//     committing    undo(): the switch refused   nothing
//     committing    begin_removal()              removing
//     committed     begin_removal()              removing; a superseded one: nothing
//     removing      removed()                    nothing
//
// modify() keeps the state. It refuses a hop that is being removed, and one that shares an input or
// an output with another generation.
//
// A ledger consists of parts that own their data (ledger/parts.hpp): each states its invariants in
// its header. Everybody may read them (ports(), labels(), managers(), hops(), extras(), users(),
// stacks()). What changes several parts together is an operation here, and so is each change of a
// hop. The files of ledger/ have the rules:
//
//     ledger/...           what it says
//     ───────────────────  ──────────────────────────────────────────────────────────────────────
//     hop_record.hpp       what is stored of a hop
//     hop_stacks.hpp       generations of a hop that have taken over from one another
//     label_users.hpp      who may share a label
//     label_pools.hpp      where a label is from its grant to its return; sessions and shares
//     port_accounts.hpp    quotas, charges and capacity
//     holdings.hpp         what a hop holds, and which of it passes to another hop
//     set_up.hpp           what a refusal leaves
//
// Every operation on a label or hop takes constant time, and no memory once warm, except for
// HopExtras, neighbours in stacks, and names of clients and endpoints that no other hop has. With
// branches the time grows with the hops on the input label (at most the number of ports), and with
// shared-out labels with the managers. lapse() and forget_manager() visit every hop. One thread.
// Refusals are values; XB_CHECK only where the controller would break the table above.
//
// A hop takes 160 octets: 136 in the table of hops (ledger/hop_table.hpp), and 12 for each of its
// two labels. A hop that was modified, joined or takes part in a change of path takes up to 150
// more (ledger/hop_extras.hpp, ledger/hop_stacks.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/cause.hpp"
#include "core/hop.hpp"
#include "core/hop_room.hpp"
#include "core/planted.hpp"
#include "core/result.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

class Ledger {
 public:
  explicit Ledger(LedgerOptions options)
      : parts_(std::make_unique<LedgerParts>(std::move(options))) {}

  const LedgerOptions& options() const { return parts_->options; }

  // ---- parts ----

  const PortAccounts& ports() const { return parts_->ports; }
  const LabelPools& labels() const { return parts_->labels; }
  const ManagerTable& managers() const { return parts_->managers; }
  const HopTable& hops() const { return parts_->hops; }
  const HopExtrasTable& extras() const { return parts_->extras; }
  const LabelUsers& users() const { return parts_->users; }
  const HopStacks& stacks() const { return parts_->stacks; }
  // Labels and quotas without a connection: each of its changes is one of a single part.
  Grants& grants() { return parts_->grants; }
  const Grants& grants() const { return parts_->grants; }
  // Numbers for owners, for set_up() and claim(): take() one, and release() it once. A hop holds
  // its own reference.
  OwnerNames& owners() { return parts_->hops.owners(); }

  // ---- ports ----

  // Sets the switch's present ports. A missing port keeps what it still holds, but admits no more.
  // A changed label range takes effect at the first set_ports() at which no label of the port is
  // held. Changed rates take effect at once and leave earlier promises intact. Returns the ports
  // for which the ledger has no room (PortNumbers::kPortsMax); they stay unknown.
  std::vector<PortId> set_ports(const std::vector<SwitchPort>& ports);
  // Changes factors and buffer of the ports at once; earlier promises stay intact. Everything else
  // in `options` is ignored.
  void change_capacities(const LedgerOptions& options);
  std::optional<PortUsage> usage(PortId port) const;

  // ---- managers ----

  // The index of that name, new or known. Refuses kExhausted when managers_max names are stored.
  Result<ManagerIndex> manager(std::string_view name) { return parts_->managers.enter(name); }
  // With label shares, the manager's demands count from now on until its session lapses. Labels
  // that have lapsed with its earlier session are in its quarantine.
  void open_session(ManagerIndex manager);
  // The session is over: quotas return, cached labels lapse, demands are dropped, and reservations
  // that are not held are undone; their labels lapse, too. Connections and labels in quarantine
  // stay.
  void lapse(ManagerIndex manager);
  // Lapsed labels may be granted until the manager's next session begins.
  void end_rest(ManagerIndex manager);
  // The manager, which has no session, never returns: undoes held reservations and frees its lapsed
  // labels and those in quarantine, those of hops being removed included. Its connections stay. The
  // name is forgotten with the last of them, unless a session of the manager is opened before.
  // Returns the number of hops left.
  std::uint64_t forget_manager(ManagerIndex manager);

  // ---- hops ----

  // A reserve or a commit, refused or accepted as a whole. A new commit is kCommitting; a repeated
  // one keeps its state. `owner`: of owners(), or kNoOwner; setup.owner is ignored here.
  Admission set_up(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner = kNoOwner);
  // How many of each hop set_up() would take, and what is short then (core/hop_room.hpp).
  std::vector<HopRoom> would_take(ManagerIndex manager, std::span<const HopQuestion> hops) const;
  // Changes a hop's contract, and its owner if there is a handover. A change that lowers both
  // components of the charge is never refused; one of the category always is (kInvalidRequest). The
  // same revision with the present demand and contract counts as done. Repeated commits may name
  // the old contract or the new one. A modify that asks for no more in its demand and its contract
  // (CDVT apart) never raises the charge. `until_settled`: the hop keeps its earlier charge too
  // until settle(), which may restore the earlier contract, but not the owner.
  Admission modify(ManagerIndex manager, const HopModify& modify, bool until_settled = false);
  // Ends a modify that the switch had to confirm: sets the hop's revision, demand and contract.
  // `demand` must not exceed what the hop holds; neither does its charge afterwards.
  void settle(HopRef hop, std::uint32_t revision, Resources demand,
              const TrafficContract& contract);
  // Takes the hop to its next state (hop_fsm.hpp) and returns what is to be done. The pair must be
  // possible. A hop that is gone then keeps its record until undo() or removed().
  HopFsm::Action step(HopRef hop, HopFsm::Event event) {
    return step(hop, parts_->hops.hop(hop), event);
  }
  HopFsm::Action step(HopRef hop, HopRecord& record, HopFsm::Event event) {  // the hop's record
    const HopFsm::Action action = parts_->hops.step(record, event);
    if (action == HopFsm::Action::kConnect || action == HopFsm::Action::kConnectAndSend) {
      touch(record);
      if (const auto below = stacks().below(hop)) touch(this->hop(*below));  // it is superseded now
    }
    return action;
  }
  void undo(HopRef hop);  // kCommitting (the switch refused) or kReserved to nothing
  // kReserved: gone at once; its label rests in quarantine, since the link's other end may know it.
  // Superseded: gone at once. kCommitting, kCommitted: now kRemoving. kRemoving: no change. Returns
  // whether the hop is gone.
  bool begin_removal(HopRef hop);
  bool goes_at_once(HopRef hop) const {  // whether begin_removal() would return true
    return hops().hop(hop).stage() == HopStage::kReserved ||
           (stacks().superseded(hop) && !planted(Bug::kHopWaitsBelow));
  }
  void removed(HopRef hop);  // kRemoving to nothing
  // Counts as a change for open audits.
  void touch(HopRecord& record) { parts_->hops.touch(record); }

  // Enters a hop that the switch may have already, because its manager claims it after this ledger
  // was lost: committed, removing, or reserved and held. It is not refused for want of resources. A
  // hop that has an input or output in common with others of its connection shares it: it branches
  // off, takes over from an earlier generation, or joins one. A hop that is there already stays as
  // it is. Refusals: kInvalidRequest, kUnknownPort, kBusy; kForeignInputLabel and kLabelNotHeld if
  // another connection or manager has the label.
  Admission claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner = kNoOwner);

  // A record, for what its caller owns in it (hop_record.hpp). hops() has it for readers.
  HopRecord& hop(HopRef ref) { return parts_->hops.hop(ref); }
  HopRecord* find_hop(HopRef ref) { return parts_->hops.find_hop(ref); }  // null: none (any more)
  // See HopExtrasTable::note_hold_end().
  void note_hold_end(HopRef hop, TimePoint until) { parts_->extras.note_hold_end(hop, until); }
  // Memory of the hops in octets: records, hash table, names, extras; without labels and ports.
  std::size_t hop_octets() const;

  // ---- entries of the switch that no hop claims ----

  // See LabelPools::block().
  void block(const CrossConnect& stranger) { parts_->labels.block(stranger); }
  void unblock_all() { parts_->labels.unblock_all(); }

  // ---- repair ----

  // Makes label places, lists and accounts agree with the hop records, which it trusts. A label
  // that is nowhere becomes free. It repairs what self_check() reports, except records that
  // contradict each other. Time as self_check().
  void rebuild();
  // Recomputes the place of every label and every account from hop records, lists and quotas, and
  // reports differences: kLeakedLabel, kDoubleLabel, kLeakedBandwidth. `name` is the switch's name
  // in the findings. Time and memory grow with the labels and hops held.
  std::vector<Finding> self_check(std::string_view name) const;

 private:
  friend class LedgerTamper;  // breaks the parts on purpose (tests)

  std::unique_ptr<LedgerParts> parts_;  // at one address, because they refer to one another
};

}  // namespace xbind
