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
//     committing    programmed()                 committed
//     committing    undo(): the switch refused   nothing
//     committing    begin_removal()              removing
//     committed     begin_removal()              removing; a superseded one: nothing
//     removing      removed()                    nothing
//
// modify() keeps the state. It refuses a hop that is being removed, and one that shares an input or
// an output with another generation.
//
// Two generations (make before break, core/hop.hpp). A commit that takes over
// (HopSetup::takes_over) stands above the earlier hop of its leg on that input, from set_up() until
// either of them is gone. Once it is committed, the hop below is *superseded*: it keeps its labels,
// resources and record, but the switch does not have it. The hop below becomes live again when the
// upper one goes. If it is removed first, it goes without any request to the switch. Several hops
// may stand on one another. Only the uppermost can be taken over from, and only while nothing is
// under way between it and the switch. A commit that joins (HopSetup::joins) shares the output
// label of an earlier hop of its leg, from another input. The label stays until the last of them is
// gone.
//
// What a hop holds, from set_up() until it is gone:
// - Its output label, from the manager's cache. The SwitchServer allots the label of the last hop,
//   and of a reserve that names none, from the output port's own range. After a removal the label
//   rests in the manager's quarantine until the manager returns or uses it, which means that both
//   ends of the link have confirmed the delete. An egress label is free at once: its link ends at
//   an endpoint, so there is no second end to wait for.
// - Its input label, from the commit on: the upstream hop's output label (the first hop: allotted
//   from the input port's own range). No other hop may commit with it, since a second cross-connect
//   on it would silently become a branch of the first. Only a hop of the same connection that
//   declares so shares it (HopSetup::branch, each to another output port; HopSetup::takes_over).
//   The label is in use until the last of them is gone.
// - Bandwidth and buffer of the output port (HopRecord::charge). Hops that share the output label
//   are charged once, with the needs of the most demanding. The first hop also holds bandwidth of
//   the input port's receive direction, so that an access line is not oversold. The cells arrive
//   once, however many branches there are: if the first hop goes before its branches, one of them
//   inherits this bandwidth. Among hops that take over from one another the uppermost has it, and
//   passes it back to the one below.
//
// A port's account: a manager's part is the greater of its quota and the sum of its hops, for
// cells/s and for buffer each. A hop within the quota is therefore never refused for want of
// either, and a removal fills the quota again. The port's account is the sum over the managers and
// never exceeds its capacity: line rate x overbooking factor, and the buffer of the options. All
// these amounts are charges (admission.hpp), not the managers' demands.
//
// Labels may be shared out (LabelSharing::kCooperative). Each attached manager declares per port
// how many output labels it wants to be able to hold. It may then hold its proportional share of
// the range in cache, connections and quarantine. A manager without a declaration counts with the
// labels that it holds, and keeps them. There are no shares at a port until some manager declares.
// Egress labels are not shared out: each goes to its own endpoint.
//
// A refused or undone commit leaves nothing of the hop, nor of a reservation made for it. If the
// manager knew the output label before the commit, the label then is in its cache (it needs no
// quarantine, since the switch was not programmed), or in quarantine if that session has ended
// since. Two refusals change nothing at all: a stale one, and one of a setup that contradicts a hop
// which is already committed.
//
// When a session ends, the other end of a link may have hops with labels from the manager's cache
// whose commits have not arrived here. These labels are lapsed: nobody gets them. The manager's
// next session finds them in its quarantine, and the manager returns every label that none of its
// hops uses.
// If the manager stays away for longer than end_rest() allows, they are granted, but only when no
// other label is free.
//
// Every operation on a label or hop takes constant time, and no memory once warm, except for
// HopExtras and for names of clients and endpoints that no other hop has. With branches the time
// grows with the hops on the input label (at most the number of ports), and with shared-out labels
// with the managers. lapse() and forget_manager() visit every hop. One thread. Refusals are values;
// XB_CHECK only where the controller would break the table above.
//
// A hop takes 160 octets: its record 128 (ledger_record.hpp), at most 8 in the table of hops, and
// 12 for each of its two labels. The table is a ChainedIndex, because growth must not stop a ledger
// of a million hops; a FlatMap would take 20. An owner that no other hop has takes up to 32 more,
// and the names themselves. HopExtras of a hop that was modified, joined or takes part in a change
// of path take about 120.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ahead.hpp"
#include "core/audit.hpp"
#include "core/cause.hpp"
#include "core/chained_index.hpp"
#include "core/chunks.hpp"
#include "core/flat_map.hpp"
#include "core/hop.hpp"
#include "core/hop_room.hpp"
#include "core/result.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/label_pool.hpp"
#include "switchserver/ledger_names.hpp"
#include "switchserver/ledger_record.hpp"
#include "switchserver/ledger_values.hpp"

namespace xbind {

class Ledger {
 public:
  explicit Ledger(LedgerOptions options);

  const LedgerOptions& options() const { return options_; }

  // ---- ports ----

  static constexpr std::size_t kPortsMax = 65'535;  // ports in the ledger, missing ones included
  // Sets the switch's present ports. A missing port keeps what it still holds, but admits no more.
  // A changed label range takes effect at the first set_ports() at which no label of the port is
  // held. Changed rates take effect at once and leave earlier promises intact. Returns the ports
  // for which the ledger has no room; they stay unknown.
  std::vector<PortId> set_ports(const std::vector<SwitchPort>& ports);
  // Changes factors and buffer of the ports at once; earlier promises stay intact. Everything else
  // in `options` is ignored.
  void change_capacities(const LedgerOptions& options);
  std::vector<SwitchPort> ports() const;
  bool has_port(PortId id) const;  // known and present
  std::optional<PortUsage> usage(PortId port) const;
  LabelStock output_stock(PortId port) const;  // an unknown port has none
  // Where an output (input) label is; nullopt for an unknown port or a label outside its range.
  std::optional<LabelPlace> output_label(PortId port, Label label) const;
  std::optional<LabelPlace> input_label(PortId port, Label label) const;

  // ---- managers ----

  // The index of that name, new or known. Refuses kExhausted when managers_max names are stored.
  Result<ManagerIndex> manager(std::string_view name);
  std::optional<ManagerIndex> find_manager(std::string_view name) const;
  // Whether it has labels in its cache or quarantine, or some that have lapsed.
  bool has_labels(ManagerIndex manager) const;
  const std::string& manager_name(ManagerIndex manager) const {
    return managers_[manager.value()].name;
  }
  std::uint64_t hop_count(ManagerIndex manager) const { return managers_[manager.value()].hops; }
  std::size_t managers() const { return managers_.size(); }  // indices below it may be in use
  // Whether the operator has said that it will not return (forget_manager()).
  bool forgotten(ManagerIndex manager) const { return managers_[manager.value()].forgotten; }
  bool in_session(ManagerIndex manager) const { return managers_[manager.value()].in_session; }
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

  // A number for an owner, for set_up(); release it once. A hop holds its own reference.
  std::uint32_t take_owner(const HopOwner& owner) { return names_.take(owner); }
  void release_owner(std::uint32_t owner) { names_.release(owner); }
  // A reserve or a commit, refused or accepted as a whole. A new commit is kCommitting; a repeated
  // one keeps its state. `owner`: of take_owner(), or kNoOwner; setup.owner is ignored here.
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
  void programmed(HopRef hop);  // kCommitting to kCommitted
  void undo(HopRef hop);        // kCommitting (the switch refused) or kReserved to nothing
  // kReserved: gone at once; its label rests in quarantine, since the link's other end may know it.
  // Superseded: gone at once. kCommitting, kCommitted: now kRemoving. kRemoving: no change. Returns
  // whether the hop is gone.
  bool begin_removal(HopRef hop);
  bool goes_at_once(HopRef hop) const;  // whether begin_removal() would return true
  void removed(HopRef hop);             // kRemoving to nothing
  void touch(HopRef hop);               // counts as a change for open audits

  // Whether a session that has ended since made it.
  bool of_earlier_session(HopRef ref) const { return hop(ref).earlier_session; }
  // Another hop has taken over from this one, and the switch has confirmed it: this one is in no
  // switch.
  bool superseded(HopRef hop) const;
  // The hop from which this one takes or took over, as long as that hop exists.
  std::optional<HopRef> below(HopRef hop) const;
  std::optional<HopRef> above(HopRef hop) const;  // has taken over from this hop, or is about to
  // Other hops use its output label as well: the label does not become free with this hop.
  bool shares_output(HopRef hop) const;

  // Enters a hop that the switch may have already, because its manager claims it after this ledger
  // was lost: committed, removing, or reserved and held. It is not refused for want of resources. A
  // hop that has an input or output in common with others of its connection shares it: it branches
  // off, takes over from an earlier generation, or joins one. A hop that is there already stays as
  // it is. Refusals: kInvalidRequest, kUnknownPort, kBusy; kForeignInputLabel and kLabelNotHeld if
  // another connection or manager has the label.
  Admission claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner = kNoOwner);
  // Puts a label into the manager's quarantine, unless a hop, an entry of the switch or another
  // manager has it.
  void claim_resting(ManagerIndex manager, PortId port, Label label);

  std::optional<HopRef> find(ManagerIndex manager, const HopKey& key) const;
  HopRecord& hop(HopRef ref) { return is_there(ref) ? hops_[ref.value()] : no_such_hop(ref); }
  const HopRecord& hop(HopRef ref) const {
    return is_there(ref) ? hops_[ref.value()] : no_such_hop(ref);
  }
  HopRecord* find_hop(HopRef ref) {  // null: no such record (any more)
    return is_there(ref) ? &hops_[ref.value()] : nullptr;
  }
  const HopRecord* find_hop(HopRef ref) const {
    return is_there(ref) ? &hops_[ref.value()] : nullptr;
  }
  // Prefetches what find() will load, in two steps (core/ahead.hpp): the hop's place, then the hop.
  void prefetch_place(ManagerIndex manager, const HopKey& key) const {
    by_place_.prefetch(hash(manager, key));
  }
  void prefetch(ManagerIndex manager, const HopKey& key) const {
    if (const std::uint32_t at = by_place_.first(hash(manager, key)); at != kNil) {
      prefetch(HopRef{at});
    }
  }
  void prefetch(ManagerIndex manager, const HopSetup& setup) const;  // and its labels
  void prefetch(HopRef ref) const {
    if (ref.value() < hops_.size()) prefetch_all(hops_[ref.value()]);
  }
  void prefetch_labels(const HopRecord& record) const;  // where its labels are
  std::size_t hop_count() const { return by_place_.size(); }
  CrossConnect cross_connect(const HopRecord& record) const;
  CrossConnect cross_connect(HopRef ref) const { return cross_connect(hop(ref)); }
  // As the manager sent it, but without wanted labels, wanted quota, and the owner's index.
  HopSetup setup_of(HopRef hop) const;
  // When the hold ends whose reservation this is: noted once, kept until the hop is committed or
  // gone. Nothing happens then by itself: the manager removes the hop. kNever: not noted.
  void note_hold_end(HopRef hop, TimePoint until) { hold_ends_.emplace(hop.value(), until); }
  TimePoint hold_end(HopRef hop) const;
  std::uint32_t revision(HopRef hop) const;                // of the last modify
  ConnectionId shown_id(HopRef hop) const;                 // of the last handover; 0: none
  Resources alone(HopRef hop) const;                       // see HopExtras
  std::optional<std::uint64_t> ingress(HopRef hop) const;  // see HopExtras
  // The client and endpoints of the call that the hop serves.
  HopOwner owner_of(const HopRecord& record) const {
    return record.owner == kNoOwner ? HopOwner{} : names_.owner(record.owner);
  }

  // Equal for hops of the same owner; kNoOwner: no owner is known.
  std::uint32_t owner_number(const HopRecord& record) const { return record.owner; }

  // Memory of the hops in octets: records, hash table, names, extras; without labels and ports.
  std::size_t hop_octets() const;
  std::size_t label_octets() const;  // memory of the labels of all ports
  // Visits every hop in no particular order; the visitor may remove the visited hop.
  template <class Visitor>
  void for_each_hop(Visitor&& visit);
  template <class Visitor>
  void for_each_hop(Visitor&& visit) const;
  // Visits the hops from that place of the table on, until the visitor returns false. Returns where
  // to continue: 0 after the last one.
  template <class Visitor>
  std::uint64_t visit_hops(std::uint64_t from, Visitor&& visit) const;
  // Visits the hops that share the input label, in no particular order. Visits none if the label is
  // in no connection.
  template <class Visitor>
  void for_each_on_input(PortId port, Label label, Visitor&& visit) const;
  // Appends the manager's hops at that place, of every generation.
  void find_all(ManagerIndex manager, const HopKey& place, std::vector<HopRef>& found) const;
  // Advances with every change of a hop record's state.
  std::uint64_t clock() const { return clock_; }

  // ---- labels and quotas without a connection ----

  // Moves up to `wanted` free output labels of the port to the manager's cache and to `granted`.
  LabelsMissing grant_labels(ManagerIndex manager, PortId port, std::size_t wanted,
                             std::vector<Label>& granted);
  // Frees a label of the manager's cache or quarantine. False for any other label.
  bool return_label(ManagerIndex manager, PortId port, Label label);
  // Raises the manager's quota by as much of `wanted` as is free. Returns the increase.
  Resources grant_quota(ManagerIndex manager, PortId port, Resources wanted);
  // Lowers the quota. Returns false if the quota was smaller than `amount`; it is then zero.
  bool return_quota(ManagerIndex manager, PortId port, Resources amount);
  Resources quota(ManagerIndex manager, PortId port) const;
  // The part of the quota that no hop needs.
  Resources unused_quota(ManagerIndex manager, PortId port) const;
  // As much of `wanted` as the manager may have before calls need it (LedgerOptions).
  GrantRoom grant_room(ManagerIndex manager, PortId port, const GrantRoom& wanted) const;
  PortHolding holding(ManagerIndex manager, PortId port) const;
  // Declares the manager's demand for output labels of the port, for the rest of its session.
  // Ignores an unknown port.
  void declare(ManagerIndex manager, PortId port, std::uint32_t labels);
  // The number of output labels of the port that the manager may hold; nullopt: no limit.
  std::optional<std::uint64_t> label_share(ManagerIndex manager, PortId port) const;
  // The number of labels that it holds in cache, connections (egress labels apart) and quarantine.
  std::uint64_t labels_held(ManagerIndex manager, PortId port) const;
  // The number of held labels that are in no connection: in cache, or in quarantine, where a
  // released label stays until its next use.
  std::uint64_t labels_loose(ManagerIndex manager, PortId port) const;
  std::vector<PortLabels> cached(ManagerIndex manager) const;
  std::vector<PortLabels> quarantined(ManagerIndex manager) const;
  std::vector<PortLabels> lapsed(ManagerIndex manager) const;

  // ---- entries of the switch that no hop claims ----

  // Blocks the entry's free labels from being granted or used.
  void block(const CrossConnect& stranger);
  void unblock_all();
  std::uint64_t unclaimed_labels() const;
  // Whether an entry of the switch that no hop claims begins or ends at the port.
  bool has_unclaimed(PortId port) const;

  // Makes label places, lists and accounts agree with the hop records, which it trusts. A label
  // that is nowhere becomes free. It repairs what self_check() reports, except records that
  // contradict each other. Time as self_check().
  void rebuild();
  // Recomputes the place of every label and every account from hop records, lists and quotas, and
  // reports differences: kLeakedLabel, kDoubleLabel, kLeakedBandwidth. `name` is the switch's name
  // in the findings. Time and memory grow with the labels and hops held (ledger_audit.cpp).
  std::vector<Finding> self_check(std::string_view name) const;

 private:
  friend class LedgerCheck;   // self_check()
  friend class LedgerDryRun;  // would_take()
  friend class LedgerTamper;  // breaks the book on purpose (tests)

  static constexpr std::uint32_t kNil = 0xffff'ffff;

  struct Account {  // of one manager at one output port
    Resources quota;
    Resources hops;
    std::uint64_t labels = 0;  // output labels in connections, egress labels apart
    std::optional<std::uint32_t> declared;
  };
  struct Port {
    explicit Port(const SwitchPort& port) : about(port), output(port.labels), input(port.labels) {}
    SwitchPort about;
    bool present = true;
    LabelPool output;  // transmit direction
    LabelPool input;   // receive direction
    Resources capacity;
    PortPolicy policy;
    Resources taken;
    std::uint64_t ingress_taken = 0;  // cells/s that enter from endpoints, receive direction
    std::vector<Account> accounts;    // by ManagerIndex, grown when first needed
  };
  struct Manager {
    std::string name;  // empty: the place is vacant
    std::uint64_t hops = 0;
    bool in_session = false;
    bool forgotten = false;  // the name goes with the last hop
  };
  struct Group {  // hops with one output label
    Resources needs;
    Resources charged;
  };
  using Link = std::uint32_t HopRecord::*;  // to the next hop with the same label

  // nullopt: not refused.
  using Refusal = std::optional<Admission>;
  using Spot = LabelPool::Spot;

  void set_capacity(Port& port) const;
  Port* port(PortId id);
  const Port* port(PortId id) const;
  Port& input_port(const HopRecord& record) { return ports_[record.input_port]; }
  Port& output_port(const HopRecord& record) { return ports_[record.output_port]; }
  Account& account(Port& port, ManagerIndex manager);
  Account account_of(const Port& port, ManagerIndex manager) const;
  static void set_quota(Port& port, Account& of, Resources quota);
  static void set_hops(Port& port, Account& of, Resources hops);

  Admission set_up_new(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                       std::uint64_t hash);
  Admission commit_reserved(HopRef ref, const HopSetup& setup, std::uint32_t owner);
  Admission repeat(HopRef ref, const HopSetup& setup, std::uint32_t owner) const;
  bool same_contract(HopRef ref, const HopSetup& again) const;
  bool same_setup(HopRef ref, const HopSetup& again, std::uint32_t owner) const;
  bool same_hop(HopRef ref, const HopSetup& commit, std::uint32_t owner) const;
  void copy_setup_fields(HopRecord& record, const HopSetup& setup);
  Refusal choose_input(ManagerIndex manager, const HopSetup& setup, Port& in, Spot& chosen);
  Refusal check_input_owner(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_shared_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_taken_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_output(ManagerIndex manager, const HopSetup& setup, Port& out, Spot& chosen);
  Refusal choose_joined_output(ManagerIndex manager, const HopSetup& setup, const Port& out) const;
  // Whether the claimed hop may have the label in that place.
  bool may_claim_input(LabelPlace place, ManagerIndex manager, const LedgerHop& claimed) const;
  bool may_claim_output(LabelPlace place, ManagerIndex manager, const LedgerHop& claimed) const;
  void stack_on_input(HopRef ref);
  void claim_ingress(HopRef ref, Port& in);
  Refusal allot_output(ManagerIndex manager, const HopSetup& setup, Port& out, Spot& chosen);
  Refusal check_request(const HopSetup& setup, const Port* in, const Port* out,
                        std::uint64_t more_hops) const;
  Refusal check_share(ManagerIndex manager, const HopSetup& setup, const Port& out,
                      std::uint64_t more_labels) const;
  static Resources room_for(const Port& out, const Account& of);
  static std::uint64_t ingress_room(const Port& in);
  Refusal admit_resources(const HopSetup& setup, const Port& in, const Port& out, const Account& of,
                          Resources charge) const;
  Refusal admit_taken_input(const HopSetup& setup, const Port& in, std::uint64_t demand) const;
  std::uint32_t take_over_source(const HopKey& key, LabelPlace input) const;
  bool stands_on(std::uint32_t upper, std::uint32_t lower) const;
  void take_input(HopRef ref, Port& in, Spot spot);
  void leave_input(HopRef ref);
  void enter(LabelPool& pool, Spot spot, HopRef ref, Link link);
  std::uint32_t leave(LabelPool& pool, Spot spot, HopRef ref, Link link);
  Group group_of(std::uint32_t head) const;
  void charge_group(Port& out, std::uint32_t head);
  Admission hand_over_alone(HopRef ref, const HopModify& modify);
  void hand_over(HopRef ref, const HopHandover& handover);
  Resources charge_of(const Port& port, const Resources& demand,
                      const TrafficContract& contract) const;
  Resources additional_charge(const Port& out, const HopSetup& setup, Resources alone) const;
  void give_up(HopRef ref, LabelHolder output_goes_to);

  // The fields that only few hops have (HopExtras), with their defaults for all other hops.
  std::uint32_t above_of(std::uint32_t at) const;
  std::uint32_t below_of(std::uint32_t at) const;
  HopExtras plain_extras(const HopRecord& record) const;
  HopExtras& extras(std::uint32_t at);  // created on first use
  void drop_plain(std::uint32_t at);    // drops extras that equal the defaults
  void set_ingress(std::uint32_t at, std::optional<std::uint64_t> cells_per_s);
  void set_charge(std::uint32_t at, Resources charge);

  std::uint64_t held_on(const Port& port, ManagerIndex manager) const;
  PortHolding holding_of(const Port& port, ManagerIndex manager) const;
  std::optional<std::uint64_t> share_of(const Port& port, ManagerIndex manager,
                                        std::uint64_t more_held = 0) const;

  static std::uint64_t hash(ManagerIndex manager, const HopKey& key);
  bool is_there(HopRef ref) const { return ref.value() < hops_.size() && hops_[ref.value()].alive; }
  [[noreturn]] HopRecord& no_such_hop(HopRef ref) const;
  HopRef insert(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                std::uint64_t hash);
  void erase(HopRef ref);

  LedgerOptions options_;
  std::vector<Port> ports_;
  FlatMap<PortId, std::uint32_t, AbsentIndex> port_numbers_;  // indices in ports_
  std::vector<Manager> managers_;
  Chunks<HopRecord> hops_;
  std::unordered_map<std::uint32_t, HopExtras> extras_;     // by index in hops_
  std::unordered_map<std::uint32_t, TimePoint> hold_ends_;  // the same; of held reservations
  OwnerNames names_;
  std::uint32_t vacant_ = kNil;  // index in hops_, head of the list of vacant records
  ChainedIndex by_place_;        // of hops_, by (manager, connection, leg, hop)
  std::uint64_t clock_ = 0;
};

template <class Visitor>
void Ledger::for_each_hop(Visitor&& visit) {
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i].alive) visit(HopRef{i}, hops_[i]);
  }
}

template <class Visitor>
void Ledger::for_each_hop(Visitor&& visit) const {
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i].alive) visit(HopRef{i}, hops_[i]);
  }
}

template <class Visitor>
std::uint64_t Ledger::visit_hops(std::uint64_t from, Visitor&& visit) const {
  for (std::uint64_t i = from; i < hops_.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    if (hops_[at].alive && !visit(HopRef{at}, hops_[at])) return i + 1 < hops_.size() ? i + 1 : 0;
  }
  return 0;
}

template <class Visitor>
void Ledger::for_each_on_input(PortId id, Label label, Visitor&& visit) const {
  const auto place = input_label(id, label);
  if (!place || place->holder != LabelHolder::kConnection) return;
  for (std::uint32_t i = place->hop.value(); i != kNil; i = hops_[i].next_on_input) {
    visit(HopRef{i}, hops_[i]);
  }
}

}  // namespace xbind
