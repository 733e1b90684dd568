// Who holds what at one switch: labels, bandwidth, buffer and hops, promised to whom.
//
// The ledger alone decides what may be had; it never talks to the switch. The controller
// (switch_controller.hpp) asks it, programs the switch and reports back how that went:
//
//     from          by                           to
//     ────────────  ───────────────────────────  ─────────────────────────────────────────
//     nothing       set_up(reserve)              reserved
//     nothing       set_up(commit)               committing
//     reserved      set_up(commit)               committing
//     reserved      begin_removal()              nothing
//     reserved      lapse(), forget_manager()    nothing; a held one stays when the session lapses
//     reserved      set_up(commit), refused      nothing
//     committing    programmed()                 committed
//     committing    undo(): the switch refused   nothing
//     committing    begin_removal()              removing
//     committed     begin_removal()              removing; a superseded one: nothing
//     removing      removed()                    nothing
//
// modify() leaves the state as it is; it refuses what is being removed, and what shares an input or
// an output with another generation.
//
// Two generations (make before break, core/hop.hpp). A commit that takes over (HopSetup::takes_over)
// stands on top of the earlier hop of its leg on that input, from set_up() until either is gone. Once it
// is committed the one below is *superseded*: it keeps its labels, its resources and its record, and is
// in no switch. It is live again when the upper one is gone, and goes without a word to the switch when
// it is removed first. Several may stand on one another; only the uppermost may be taken over from, and
// only when nothing is under way between it and the switch. A commit that joins (HopSetup::joins)
// shares the output label of an earlier hop of its leg, from another input; the label stays until the
// last of them is gone.
//
// What a hop holds, from set_up() until it is gone:
// - its output label. From the manager's cache (the last hop, and a reserve that names none: allotted
//   from the output port's own range). After a removal it rests in the manager's quarantine until the
//   manager returns or uses it, which says that both ends of the link have confirmed the delete. An
//   allotted one is free at once: its link ends at an endpoint, there is no second end to wait for.
// - its input label, from the commit on. The upstream hop's output label (the first hop: allotted
//   from the input port's own range). Nobody else may commit with it, for a second cross-connect on
//   it would silently become a branch of the first. Only a hop of the same connection that says so
//   (HopSetup::branch, each to another output port; HopSetup::takes_over) shares it; the label is
//   taken until the last of them has gone.
// - bandwidth and buffer of the output port (HopRecord::charge); of hops that joined as much as the
//   most demanding of them needs, once. At the first hop bandwidth of the input port as well, in its
//   receive direction, so that an access line is not oversold. The cells come in once however many
//   branches there are: when the first hop goes before its branches, one of them inherits that. Of
//   hops that take over from one another the uppermost has it, and gives it back to the one below.
//
// A port's account: what a manager has taken is the greater of its quota and the sum of its hops,
// for cells/s and for buffer each. A hop within the quota is therefore never refused for want of
// either, and a quota is filled again by a removal. The port's account is the sum over the managers
// and never rises above capacity: line rate x overbooking factor, and the buffer of the options. All of
// this is in what hops are charged (admission.hpp), which is not what managers demand.
//
// Labels may be shared out (LabelSharing::kCooperative): each attached manager declares per port how
// many output labels it wants to be able to hold, and may then hold, in cache, connections and
// quarantine, its part of the range in that proportion. Who has declared nothing counts with what it
// holds and keeps that; as long as nobody has declared anything for a port, everybody may have
// everything. Egress labels are not shared out: each goes to its own endpoint.
//
// After a refused or undone commit nothing is left of the hop, nor of a reservation made for it;
// the output label, if the manager knew it before the commit, is then in the manager's cache (the
// switch was not programmed, so it needs no quarantine here), or free if that session has lapsed
// since. A refusal as stale changes nothing at all, and neither does one that contradicts a hop
// which is committed already.
//
// Every operation on a label or hop takes constant time and, once warm, no memory, but for HopExtras and for
// names of clients and endpoints that no other hop has; with branches, time in proportion to how many share an input label
// (never more than there are ports), and where labels are shared out, to the managers. lapse() and
// forget_manager() look at every hop. One thread. Refusals are values; XB_CHECK only where the controller
// would break the table above.
//
// A hop takes 160 octets: its record 128 (ledger_record.hpp), 8 at most in the table of hops (a ChainedIndex,
// because growth must not stop a ledger of a million hops, and a FlatMap would take 20), and 12 for each of
// its two labels. To that come 32 at the most while no other hop has the same owner, and the names
// themselves; for a hop that was modified, joined or takes part in a change of path,
// HopExtras, about 120.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
#include "core/result.hpp"
#include "switchserver/admission.hpp"
#include "switchserver/drivers/switch_driver.hpp"
#include "switchserver/label_pool.hpp"
#include "switchserver/ledger_names.hpp"
#include "switchserver/ledger_record.hpp"
#include "switchserver/timers.hpp"

namespace xbind {

enum class LabelSharing : std::uint8_t { kFree, kCooperative };

struct LedgerOptions {
  AdmissionMode admission = AdmissionMode::kDemand;
  double overbooking = 1.0;                     // times the line rate may be promised
  std::map<PortId, double> port_overbooking{};  // the same of these ports
  std::uint32_t rt_wait_us = kRtWaitUs;         // the longest wait of a cell of rt-VBR in a port
  std::uint64_t buffer_cells = 1U << 20;        // buffer of every output port, in cells
  std::size_t managers_max = 64;                // names known at once, attached or not
  std::size_t hops_max = std::size_t{1} << 22;  // records; more are refused kBusy
  LabelSharing sharing = LabelSharing::kFree;
};

// The answer to set_up() and modify().
struct Admission {
  Cause cause = Cause::kNone;
  PortId port;              // with a refusal: the port that refused, or none
  std::uint64_t asked = 0;  // with a refusal: see Cause
  std::uint64_t free = 0;
  HopRef hop;             // without a refusal
  bool repeated = false;  // the same again: nothing was taken, the record stands as it is
  // With kNoLabel, kNoBandwidth, kNoBuffer of the output port: what was missing there, so that others
  // may be asked for it.
  std::uint32_t labels_missing = 0;
  Resources quota_missing;

  bool admitted() const { return cause == Cause::kNone; }
};

// Why a manager got fewer labels than it wanted.
struct LabelsMissing {
  std::size_t free = 0;   // no more are free
  std::size_t share = 0;  // its share of the port was used up
};

// Output labels of one port.
struct LabelStock {
  std::uint64_t free = 0;
  std::uint64_t all = 0;
};

// A port's books in numbers.
struct PortUsage {
  Resources capacity;
  Resources taken;                        // by hops and quotas
  Resources hops;                         // the part that hops need
  std::uint64_t ingress_cells_per_s = 0;  // first hops that come in here
  std::uint64_t free_output_labels = 0;
  std::uint64_t free_input_labels = 0;

  friend bool operator==(const PortUsage&, const PortUsage&) = default;
};

class Ledger {
 public:
  explicit Ledger(LedgerOptions options);

  const LedgerOptions& options() const { return options_; }

  // ---- ports ----

  static constexpr std::size_t kPortsMax = 65'535;  // that the books know, missing ones with them
  // The switch's ports as they are now. A port that is missing stays in the books for what it still
  // holds, but takes no more. A changed label range counts once no label of the port is held (the
  // next set_ports() after that); changed rates count at once and leave what is promised. Answers the
  // ports for which there is no room in the books: they stay unknown.
  std::vector<PortId> set_ports(const std::vector<SwitchPort>& ports);
  std::vector<SwitchPort> ports() const;
  bool has_port(PortId id) const;  // and it is there now
  std::optional<PortUsage> usage(PortId port) const;
  LabelStock output_stock(PortId port) const;  // an unknown port has none
  // Where an output (input) label is; nothing for an unknown port or a label outside its range.
  std::optional<LabelPlace> output_label(PortId port, Label label) const;
  std::optional<LabelPlace> input_label(PortId port, Label label) const;

  // ---- managers ----

  // The index of that name, new or known. Refuses kExhausted when managers_max names are known.
  Result<ManagerIndex> manager(std::string_view name);
  std::optional<ManagerIndex> find_manager(std::string_view name) const;
  const std::string& manager_name(ManagerIndex manager) const {
    return managers_[manager.value()].name;
  }
  std::uint64_t hop_count(ManagerIndex manager) const { return managers_[manager.value()].hops; }
  std::size_t managers() const { return managers_.size(); }  // indices below it may be in use
  bool in_session(ManagerIndex manager) const { return managers_[manager.value()].in_session; }
  // Its demands count from now on where labels are shared out, until its session lapses.
  void open_session(ManagerIndex manager);
  // The session is over: quotas return, cached labels are free, demands are forgotten, reservations
  // that are not held are undone. Connections stay, and so do labels in quarantine.
  void lapse(ManagerIndex manager);
  // The manager, which has no session, is gone for good: held reservations are undone, labels in
  // quarantine are free (and so are those of hops that are on their way down). Its connections stay;
  // the name is forgotten with the last of them, unless a session of it is opened before. Answers how
  // many hops are left.
  std::uint64_t forget_manager(ManagerIndex manager);

  // ---- hops ----

  // A number for an owner, to be given to set_up() and released once. A hop keeps its owner by itself.
  std::uint32_t take_owner(const HopOwner& owner) { return names_.take(owner); }
  void release_owner(std::uint32_t owner) { names_.release(owner); }
  // A reserve or a commit, refused or taken whole. A commit is then kCommitting; a repeated one is
  // in whatever state it was. `owner`: a number of take_owner(), or kNoOwner; setup.owner is the batch's
  // and means nothing here.
  Admission set_up(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner = kNoOwner);
  // Another contract for a hop; less in either component of its charge is never refused, another
  // category is (kInvalidRequest). The same revision with what the hop has counts as done. Repeated
  // commits may name the old contract or the new one. One that asks for no more in its demand and in its
  // contract (CDVT apart) is charged no more than the hop was. `until_settled`: what the hop was charged
  // stays at its disposal until settle(), which may go back.
  Admission modify(ManagerIndex manager, const HopModify& modify, bool until_settled = false);
  // What came of a modify that the switch had to be told: the hop has this now. `demand` is no more than
  // what it holds, and neither is its charge afterwards.
  void settle(HopRef hop, std::uint32_t revision, Resources demand,
              const TrafficContract& contract);
  void programmed(HopRef hop);  // kCommitting to kCommitted
  void undo(HopRef hop);        // kCommitting (the switch refused) or kReserved to nothing
  // kReserved: gone at once (its label into quarantine: the link's other end may have been told).
  // Superseded: gone at once. kCommitting, kCommitted: kRemoving. kRemoving: nothing happens. True when
  // the hop is gone.
  bool begin_removal(HopRef hop);
  bool goes_at_once(HopRef hop) const;  // what begin_removal() would answer
  void removed(HopRef hop);             // kRemoving to nothing
  void touch(HopRef hop);               // counts as a change for audits that are under way

  // Another hop has taken over from it, for certain: it is in no switch.
  bool superseded(HopRef hop) const;
  // The hop from which this one takes or took over, as long as it is there.
  std::optional<HopRef> below(HopRef hop) const;
  std::optional<HopRef> above(HopRef hop) const;  // has taken over from it, or is about to
  // Others have its output label as well: it does not become free with this hop.
  bool shares_output(HopRef hop) const;

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
  // Asks the memory for what find() will load, in two looks ahead (core/ahead.hpp): the first brings in
  // where the hop is, the second the hop. And for a hop whose place is known.
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
  // As the manager asked, word for word; but not how many labels and how much quota it wanted to come back
  // with it, which is nobody's once it has been answered, and not its place among a batch's owners.
  HopSetup setup_of(HopRef hop) const;
  std::uint32_t revision(HopRef hop) const;                // of the last modify
  Resources alone(HopRef hop) const;                       // see HopExtras
  std::optional<std::uint64_t> ingress(HopRef hop) const;  // see HopExtras
  // Whose call the hop serves.
  HopOwner owner_of(const HopRecord& record) const {
    return record.owner == kNoOwner ? HopOwner{} : names_.owner(record.owner);
  }

  // Equal for hops of the same owner; kNoOwner: nobody's.
  std::uint32_t owner_number(const HopRecord& record) const { return record.owner; }

  // What hops take all told, in octets: records, hash table, names, extras; labels and ports apart.
  std::size_t hop_octets() const;
  std::size_t label_octets() const;  // what the labels of all ports take
  // Visits every hop in no particular order; the visitor may remove the hop it is shown.
  template <class Visitor>
  void for_each_hop(Visitor&& visit);
  template <class Visitor>
  void for_each_hop(Visitor&& visit) const;
  // Visits the hops that share the input label, in no particular order; none when it is in no
  // connection.
  template <class Visitor>
  void for_each_on_input(PortId port, Label label, Visitor&& visit) const;
  // Ticks with every change of a hop record's state.
  std::uint64_t clock() const { return clock_; }

  // ---- labels and quotas without a connection ----

  // Up to `wanted` free output labels of the port go to the manager's cache; appended to `granted`.
  // An unknown port has none.
  LabelsMissing grant_labels(ManagerIndex manager, PortId port, std::size_t wanted,
                             std::vector<Label>& granted);
  // Frees a label that the manager has cached or in quarantine; false for any other.
  bool return_label(ManagerIndex manager, PortId port, Label label);
  // Raises the manager's quota by as much of `wanted` as is free; answers by how much.
  Resources grant_quota(ManagerIndex manager, PortId port, Resources wanted);
  // Lowers it again; false when it is not that large: then it is nought afterwards.
  bool return_quota(ManagerIndex manager, PortId port, Resources amount);
  Resources quota(ManagerIndex manager, PortId port) const;
  // The part of the quota that no hop needs.
  Resources unused_quota(ManagerIndex manager, PortId port) const;
  // The manager's demand for output labels of the port, for the rest of its session. An unknown port
  // is ignored.
  void declare(ManagerIndex manager, PortId port, std::uint32_t labels);
  // How many output labels of the port the manager may hold; nothing: as many as there are.
  std::optional<std::uint64_t> label_share(ManagerIndex manager, PortId port) const;
  // How many it holds: in cache, connections (egress labels apart) and quarantine.
  std::uint64_t labels_held(ManagerIndex manager, PortId port) const;
  // How many of them are in no connection. What a manager keeps for its next calls may be in either of
  // the two places: a released label stays in quarantine here until it is used again.
  std::uint64_t labels_loose(ManagerIndex manager, PortId port) const;
  std::vector<PortLabels> cached(ManagerIndex manager) const;
  std::vector<PortLabels> quarantined(ManagerIndex manager) const;

  // ---- what the switch has and nobody claims ----

  // Keeps the entry's labels from being granted or used, as far as they are free.
  void block(const CrossConnect& stranger);
  void unblock_all();
  std::uint64_t unclaimed_labels() const;

  // Recomputes the place of every label and every account from hop records, lists and quotas, and
  // names what differs: kLeakedLabel, kDoubleLabel, kLeakedBandwidth. `name` is the switch's, for
  // the findings. Takes time and memory in proportion to what is held (ledger_audit.cpp).
  std::vector<Finding> self_check(std::string_view name) const;

 private:
  friend class LedgerCheck;   // self_check()
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
    std::uint64_t ingress_taken = 0;  // cells/s that come in from endpoints, receive direction
    std::vector<Account> accounts;    // by ManagerIndex, grown when first needed
  };
  struct Manager {
    std::string name;  // empty: the place is vacant
    std::uint64_t hops = 0;
    bool in_session = false;
    bool forgotten = false;  // the name goes with the last hop
  };
  struct Room {  // free to one manager on an output port, on top of what its hops have
    std::uint64_t cells = 0;
    std::uint64_t buffer = 0;
  };

  struct Group {  // hops with one output label
    Resources needs;
    Resources charged;
  };
  using Link = std::uint32_t HopRecord::*;  // to the next hop with the same label

  static std::uint64_t less(std::uint64_t from, std::uint64_t taken) {
    return from > taken ? from - taken : 0;
  }

  // Nothing: not refused.
  using Refusal = std::optional<Admission>;
  using Spot = LabelPool::Spot;

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
  bool same_words(HopRef ref, const HopSetup& again, std::uint32_t owner) const;
  bool same_hop(HopRef ref, const HopSetup& commit, std::uint32_t owner) const;
  void note_words(HopRecord& record, const HopSetup& setup);
  Refusal choose_input(ManagerIndex manager, const HopSetup& setup, Port& in, Spot& chosen);
  Refusal check_input_owner(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_shared_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_taken_input(ManagerIndex manager, const HopSetup& setup, LabelPlace at) const;
  Refusal choose_output(ManagerIndex manager, const HopSetup& setup, Port& out, Spot& chosen);
  Refusal choose_joined_output(ManagerIndex manager, const HopSetup& setup, const Port& out) const;
  Refusal allot_output(ManagerIndex manager, const HopSetup& setup, Port& out, Spot& chosen);
  static Room room_for(const Port& out, const Account& of);
  Refusal admit_resources(const HopSetup& setup, const Port& in, const Port& out, const Account& of,
                          Resources charge) const;
  Refusal admit_taken_input(const HopSetup& setup, const Port& in, std::uint64_t demand) const;
  std::uint32_t taken_over_by(const HopKey& key, LabelPlace input) const;
  bool stands_on(std::uint32_t upper, std::uint32_t lower) const;
  void take_input(HopRef ref, Port& in, Spot spot);
  void leave_input(HopRef ref);
  void enter(LabelPool& pool, Spot spot, HopRef ref, Link link);
  std::uint32_t leave(LabelPool& pool, Spot spot, HopRef ref, Link link);
  Group group_of(std::uint32_t head) const;
  void charge_group(Port& out, std::uint32_t head);
  Resources charge_of(const Port& port, const Resources& demand,
                      const TrafficContract& contract) const;
  Resources charge_beside(const Port& out, const HopSetup& setup, Resources alone) const;
  void give_up(HopRef ref, LabelHolder output_goes_to);

  // What only few hops have (HopExtras), as it is of any hop.
  std::uint32_t above_of(std::uint32_t at) const;
  std::uint32_t below_of(std::uint32_t at) const;
  HopExtras plain_extras(const HopRecord& record) const;
  HopExtras& extras(std::uint32_t at);  // made when there are none
  void drop_plain(std::uint32_t at);    // if they say nothing that the record does not
  void set_ingress(std::uint32_t at, std::optional<std::uint64_t> cells_per_s);
  void set_charge(std::uint32_t at, Resources charge);

  std::uint64_t held_on(const Port& port, ManagerIndex manager) const;
  std::optional<std::uint64_t> share_of(const Port& port, ManagerIndex manager) const;

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
  std::unordered_map<std::uint32_t, HopExtras> extras_;  // of hops_ that are special
  OwnerNames names_;
  std::uint32_t vacant_ = kNil;  // of hops_, the first of a list
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
void Ledger::for_each_on_input(PortId id, Label label, Visitor&& visit) const {
  const auto place = input_label(id, label);
  if (!place || place->holder != LabelHolder::kConnection) return;
  for (std::uint32_t i = place->hop.value(); i != kNil; i = hops_[i].next_on_input) {
    visit(HopRef{i}, hops_[i]);
  }
}

}  // namespace xbind
