// Additional fields of hops that were modified or handed over, or that share what they are charged
// with other hops; and when holds end. For any other hop the record has it all: demand and contract
// are as in the setup, and the charge is what it needs alone.
//
// Invariants:
// - A hop without extras has the defaults, which every function here computes from its record. The
//   first change of one of them creates the extras; drop_plain() drops extras that equal the
//   defaults.
// - The record's charge changes only through set_charge(), and its demand and contract only after
//   edit(): both keep what the defaults were.
// - Extras and the end of a hold end with their hop (erase()).
//
// Extras of a hop take about 100 octets. Constant time on average. `hops` must outlive this object.
// One thread. XB_CHECK: there is no such hop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "switchserver/ledger/hop_record.hpp"
#include "switchserver/ledger/hop_table.hpp"

namespace xbind {

struct HopExtras {
  Resources asked;  // in the setup
  PackedContract asked_contract;
  std::uint32_t revision = 0;  // of the last modify
  // What the hop needs of the output port alone: see PortAccounts::charge_of(). While the switch is
  // being sent another contract, the greater of both.
  Resources alone;
  // Cells/s of the input port's receive side that are counted for this record: of a first hop, or
  // of the branch that has inherited them.
  std::optional<std::uint64_t> ingress;
  ConnectionId shown_id;  // of the last handover; 0: none

  friend bool operator==(const HopExtras&, const HopExtras&) = default;
};

class HopExtrasTable {
 public:
  explicit HopExtrasTable(HopTable& hops) : hops_(hops) {}

  // ---- reads ----

  std::uint32_t revision(HopRef ref) const;                // of the last modify
  ConnectionId shown_id(HopRef ref) const;                 // of the last handover; 0: none
  Resources alone(HopRef ref) const;                       // see HopExtras
  std::optional<std::uint64_t> ingress(HopRef ref) const;  // see HopExtras
  // Whether the setup named these, or the last modify did: a manager that repeats the setup may
  // or may not know of the modify.
  bool matches(HopRef ref, const Resources& demand, const TrafficContract& contract) const;
  // As the manager sent it, but without wanted labels, wanted quota, and the owner's index.
  HopSetup setup_of(HopRef ref) const;

  // ---- changes ----

  // The hop's extras, created if it has none. Call drop_plain() after the last change.
  HopExtras& edit(HopRef ref);
  void drop_plain(HopRef ref);
  void set_ingress(HopRef ref, std::optional<std::uint64_t> cells_per_s);
  // Keeps what the hop needs alone (HopExtras::alone).
  void set_charge(HopRef ref, Resources charge) {
    HopRecord& record = hops_[ref.value()];
    if (record.charge == charge) return;
    edit(ref);
    record.charge = charge;
  }
  // The commit of a reservation states demand and contract again.
  void ask_again(HopRef ref, const HopSetup& setup);
  void erase(HopRef ref) {
    const HopRecord& record = hops_[ref.value()];
    if (has_extras(record) || record.held) [[unlikely]]
      drop_all(ref);
  }

  // ---- holds ----

  // When the hold ends whose reservation this is: noted once, kept until the hop is committed or
  // gone. Nothing happens then by itself: the manager removes the hop. kNever: not noted.
  void note_hold_end(HopRef ref, TimePoint until) { hold_ends_.emplace(ref.value(), until); }
  TimePoint hold_end(HopRef ref) const;
  void forget_hold_end(HopRef ref) { hold_ends_.erase(ref.value()); }

  std::size_t octets() const;  // memory

 private:
  void drop_all(HopRef ref);
  static bool has_extras(const HopRecord& record) {
    return record.rare_ == HopRecord::Rare::kExtras;
  }
  static bool is_entering(const HopRecord& record) {
    return record.rare_ == HopRecord::Rare::kEntering;
  }
  // The extras that a hop without them has, of which ingress is its demand or none.
  static HopExtras plain(const HopRecord& record, bool entering);

  HopTable& hops_;
  std::unordered_map<std::uint32_t, HopExtras> extras_;     // by HopRef
  std::unordered_map<std::uint32_t, TimePoint> hold_ends_;  // the same; of held reservations
};

}  // namespace xbind
