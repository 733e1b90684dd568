// The hop records of a ledger, and the index that finds them by manager, connection, leg, hop and
// generation.
//
// Invariants:
// - A record keeps its place (HopRef) and its address until it is erased. Then a later record gets
//   the place, with another ticket.
// - Each live record is found by its key. All generations of a hop stand in one chain, so that one
//   walk finds the newest.
// - Each record holds one reference to its owner (owner_names.hpp).
// - clock() advances with every change of a record's state; HopRecord::version has the clock of the
//   last one.
//
// Nothing here knows ports, labels or what a hop needs: the ledger keeps those in step.
//
// A hop takes 136 octets here: its record 128, at most 8 in the index. The index is a ChainedIndex,
// because growth must not stop a ledger of a million hops; a FlatMap would take 20. An owner that
// no other hop has takes up to 32 more, and the names themselves.
//
// Every operation on a hop takes constant time, and no memory once warm, except for names of
// clients and endpoints that no other hop has. One thread. XB_CHECK: there is no such hop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ahead.hpp"
#include "core/audit.hpp"
#include "core/chained_index.hpp"
#include "core/chunks.hpp"
#include "core/hop.hpp"
#include "core/name_hash.hpp"
#include "core/planted.hpp"
#include "switchserver/ledger/hop_record.hpp"
#include "switchserver/ledger/owner_names.hpp"
#include "switchserver/ledger/port_numbers.hpp"

namespace xbind {

// Ends the process: HopTable::step() was called with a pair that cannot occur.
[[noreturn]] void impossible_step(HopFsm::State state, HopFsm::Event event);
// The row, or the mistake that is planted in its place.
HopRow planted_row(HopFsm::State state, HopFsm::Event event);

class HopTable {
 public:
  static constexpr std::uint32_t kNil = HopRecord::kNil;

  explicit HopTable(const PortNumbers& ports) : ports_(ports) {}  // must outlive this object

  // ---- look-ups ----

  std::optional<HopRef> find(ManagerIndex manager, const HopKey& key) const;
  // Appends the manager's hops at that place, of every generation.
  void find_all(ManagerIndex manager, const HopKey& place, std::vector<HopRef>& found) const;
  struct Generations {
    std::uint32_t same = kNil;  // the hop with that key
    Generation newest;          // of all hops at that place, the one with that key included
  };
  // `hash`: of the key.
  Generations generations(ManagerIndex manager, const HopKey& key, std::uint64_t hash) const;
  // All generations of a hop have the same hash.
  static std::uint64_t hash(ManagerIndex manager, const HopKey& key) {
    const std::uint64_t place =
        std::uint64_t{manager.value()} << 32 | std::uint64_t{key.leg} << 16 | key.hop;
    return mix_hash(mix_hash(key.connection.value()) + place);
  }

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
  // Without a check: `at` is of a list of live records.
  HopRecord& operator[](std::uint32_t at) { return hops_[at]; }
  const HopRecord& operator[](std::uint32_t at) const { return hops_[at]; }
  bool is_there(HopRef ref) const { return ref.value() < hops_.size() && hops_[ref.value()].alive; }
  std::size_t size() const { return by_place_.size(); }  // hops
  std::uint32_t places() const { return hops_.size(); }  // every HopRef is below it
  CrossConnect cross_connect(const HopRecord& record) const {
    return {ports_.id(record.input_port_), record.input_label(), ports_.id(record.output_port_),
            record.output_label()};
  }
  CrossConnect cross_connect(HopRef ref) const { return cross_connect(hop(ref)); }

  // Visits every hop in no particular order; the visitor may have the visited hop removed.
  template <class Visitor>
  void for_each(Visitor&& visit) const;
  template <class Visitor>
  void for_each(Visitor&& visit);
  // Visits the hops from that place of the table on, until the visitor returns false. Returns where
  // to continue: 0 after the last one.
  template <class Visitor>
  std::uint64_t visit(std::uint64_t from, Visitor&& visit) const;

  // Prefetches what find() will load, in two steps (core/ahead.hpp): the hop's place, then the hop.
  void prefetch_place(ManagerIndex manager, const HopKey& key) const {
    by_place_.prefetch(hash(manager, key));
  }
  void prefetch(ManagerIndex manager, const HopKey& key) const {
    if (const std::uint32_t at = by_place_.first(hash(manager, key)); at != kNil) {
      prefetch(HopRef{at});
    }
  }
  void prefetch(HopRef ref) const {
    if (ref.value() < hops_.size()) prefetch_all(hops_[ref.value()]);
  }

  // ---- records ----

  // A record of what the setup says, still without ports, labels and charge: the caller sets them.
  // `owner`: of owners(), or kNoOwner. `hash`: of setup.key, which is not in the table.
  HopRef insert(ManagerIndex manager, const HopSetup& setup, std::uint32_t owner,
                std::uint64_t hash);
  void erase(HopRef ref);
  // Takes the hop to its next state (hop_fsm.hpp) and returns what is to be done. The pair must be
  // possible.
  HopFsm::Action step(HopRef ref, HopFsm::Event event) { return step(hop(ref), event); }
  HopFsm::Action step(HopRecord& record, HopFsm::Event event) {
    const HopFsm::State from = record.state_;
    ++occurrences_.at(from, event);
    const HopRow row =
        kPlanting ? planted_row(from, event)
                  : kHopRows[static_cast<std::size_t>(from)][static_cast<std::size_t>(event)];
    if (row.action == HopRow::kImpossible) [[unlikely]]
      impossible_step(from, event);
    record.state_ = row.next;
    return static_cast<HopFsm::Action>(row.action);
  }
  // Where a claim begins.
  static void set_claimed(HopRecord& record, HopStage stage, bool settled) {
    record.state_ = HopFsm::claimed(stage, settled);
    record.claim = HopClaim::kAwaited;
  }
  const HopOccurrences& occurrences() const { return occurrences_; }  // of hops' events
  void touch(HopRecord& record) { record.version = ++clock_; }  // counts as a change of its state
  std::uint64_t clock() const { return clock_; }
  // The fields of a setup that a commit after a reserve sets again.
  static void copy_setup_fields(HopRecord& record, const HopSetup& setup);
  static void place(HopRecord& record, PortIndex in, PortIndex out, Label output) {
    record.input_port_ = in;
    record.output_port_ = out;
    record.output_ = packed(output);
  }
  static void set_input_label(HopRecord& record, Label input) { record.input_ = packed(input); }
  static void set_contract(HopRecord& record, Resources demand, const TrafficContract& contract) {
    record.demand = demand;
    record.contract_ = PackedContract(contract);
  }

  // ---- owners ----

  // A number for an owner, for insert(): take() it, and release() it once. A hop holds its own
  // reference.
  OwnerNames& owners() { return owners_; }
  const OwnerNames& owners() const { return owners_; }
  // The client and endpoints of the call that the hop serves.
  HopOwner owner_of(const HopRecord& record) const {
    return record.owner_ == kNoOwner ? HopOwner{} : owners_.owner(record.owner_);
  }
  void set_owner(HopRecord& record, const HopOwner& owner);

  // Memory of records, index and names in octets.
  std::size_t octets() const { return hops_.octets() + by_place_.octets() + owners_.octets(); }

 private:
  [[noreturn]] HopRecord& no_such_hop(HopRef ref) const;

  const PortNumbers& ports_;
  Chunks<HopRecord> hops_;
  OwnerNames owners_;
  std::uint32_t vacant_ = kNil;  // index in hops_, head of the list of vacant records
  ChainedIndex by_place_;        // of hops_, by (manager, connection, leg, hop)
  std::uint64_t clock_ = 0;
  HopOccurrences occurrences_;
};

template <class Visitor>
void HopTable::for_each(Visitor&& visit) const {
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i].alive) visit(HopRef{i}, hops_[i]);
  }
}

template <class Visitor>
void HopTable::for_each(Visitor&& visit) {
  for (std::uint32_t i = 0; i < hops_.size(); ++i) {
    if (hops_[i].alive) visit(HopRef{i}, hops_[i]);
  }
}

template <class Visitor>
std::uint64_t HopTable::visit(std::uint64_t from, Visitor&& visit) const {
  for (std::uint64_t i = from; i < hops_.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    if (hops_[at].alive && !visit(HopRef{at}, hops_[at])) return i + 1 < hops_.size() ? i + 1 : 0;
  }
  return 0;
}

}  // namespace xbind
