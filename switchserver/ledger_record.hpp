// One hop as the ledger stores it: two cache lines, of which look-up and removal need the first.
// Every switch has one record for each of a million connections. Therefore no fact is stored twice,
// and fields that few hops have are elsewhere (HopExtras). Ledger::setup_of() rebuilds the
// HopSetup.
//
// Values only; one thread. Only the ledger creates and ends records.
#pragma once

#include <cstdint>
#include <optional>

#include "core/audit.hpp"
#include "core/hop.hpp"
#include "switchserver/label_pool.hpp"

namespace xbind {

// A TrafficContract that check() accepts, in 16 octets: its numbers have 24 bits each.
class PackedContract {
 public:
  PackedContract() = default;
  explicit PackedContract(const TrafficContract& c)
      : low_(std::uint64_t{c.pcr_cells_per_s} | std::uint64_t{c.cdvt_us} << 24 |
             std::uint64_t{c.guaranteed_cells_per_s} << 48),
        high_(std::uint64_t{c.guaranteed_cells_per_s} >> 16 | std::uint64_t{c.mbs_cells} << 8 |
              std::uint64_t{c.mfs_cells} << 32 | static_cast<std::uint64_t>(c.category) << 56) {}

  TrafficContract contract() const {
    return {static_cast<ServiceCategory>(high_ >> 56),
            static_cast<std::uint32_t>(low_ & kField),
            static_cast<std::uint32_t>(low_ >> 24 & kField),
            static_cast<std::uint32_t>(low_ >> 48 | (high_ & 0xff) << 16),
            static_cast<std::uint32_t>(high_ >> 8 & kField),
            static_cast<std::uint32_t>(high_ >> 32 & kField)};
  }
  friend bool operator==(const PackedContract&, const PackedContract&) = default;

 private:
  static constexpr std::uint64_t kField = TrafficContract::kFieldMax;
  std::uint64_t low_ = 0;   // PCR, CDVT, 16 bits of SCR or MCR
  std::uint64_t high_ = 0;  // the other 8, MBS, MFS, category
};

struct alignas(64) HopRecord {
 private:
  friend class Ledger;
  friend class LedgerCheck;
  friend class LedgerTamper;
  static constexpr std::uint32_t kNil = 0xffff'ffff;

 public:
  HopKey key;

 private:
  std::uint32_t next =
      kNil;  // the next record with an equal hash; if not alive, the next vacant one

 public:
  ManagerIndex manager;
  std::uint16_t hop_count = 0;
  bool alive : 1 = false;
  // As in the manager's setup.
  bool commit : 1 = false;
  bool held : 1 = false;
  bool branch : 1 = false;
  bool takes_over : 1 = false;
  bool joins : 1 = false;
  bool bidirectional : 1 = false;

 private:
  bool input_named : 1 = false;   // the setup named the input label; false: it was allotted
  bool output_named : 1 = false;  // the same for the output label
  bool special : 1 = false;       // has HopExtras
  // Bandwidth of the input port's receive side is counted for this record: its demand, unless its
  // extras have another number.
  bool has_ingress : 1 = false;
  bool earlier_session : 1 = false;  // a session of the manager has ended since its setup

 public:
  HopStage state = HopStage::kReserved;
  // The controller's notes about its requests to the switch; ticket and waiters are its own too.
  struct Progress {
    bool add_open : 1 = false;
    bool remove_open : 1 = false;
    bool remove_done : 1 = false;  // the delete was answered before the add sent ahead of it
    bool restore : 1 = false;      // the switch lost this hop: the hop below is to be put back
    bool untold : 1 = false;       // the contract in the switch may differ from this record's
    bool claimed : 1 = false;      // claimed, and not yet compared with the switch's table
  } progress;

 private:
  std::uint16_t input_port = 0;  // index in the ledger's ports, not the switch's number
  std::uint16_t output_port = 0;
  std::uint32_t input = 0;  // packed(), like `output`
  std::uint32_t output = 0;
  std::uint32_t next_on_input = kNil;   // next hop with this input label; the pool has the head
  std::uint32_t next_on_output = kNil;  // next hop with this output label

 public:
  std::uint32_t ticket = 0;             // distinguishes answers to an earlier user of this record
  std::uint32_t commit_waiters = kNil;  // heads of lists in the controller
  std::uint32_t remove_waiters = kNil;

 private:
  std::uint32_t owner = kNoOwner;  // in the ledger's OwnerNames

 public:
  std::uint64_t version = 0;  // the ledger's clock at the last change of this record's state
  Resources charge;           // counted on the output port for this record
  Resources demand;           // the present one: of the setup, or of the last modify

 private:
  PackedContract packed;  // the present one, like demand

 public:
  RequestId request;

  TrafficContract contract() const { return packed.contract(); }
  // Includes allotted labels; a reservation has no input label.
  Label input_label() const { return unpacked(input); }
  Label output_label() const { return unpacked(output); }
  bool first() const { return key.hop == 0 && !branch; }  // as HopSetup::first()
  bool last() const { return key.hop + 1 == hop_count; }
  // Committed, and no request is under way.
  bool settled() const { return state == HopStage::kCommitted && !progress.add_open; }
};
static_assert(sizeof(HopRecord) == 128 && sizeof(HopRecord::Progress) == 1);

// Additional fields of hops that were modified or handed over, share a label, or have taken over.
// For any other hop the record has it all: demand and contract are as in the setup, and the charge
// is what it needs alone.
struct HopExtras {
  Resources asked;  // in the setup
  PackedContract asked_contract;
  std::uint32_t revision = 0;  // of the last modify
  // What the hop needs of the output port alone: see Ledger::charge_of(). While the switch is being
  // sent another contract, the greater of both.
  Resources alone;
  // Cells/s of the input port's receive side that are counted for this record: of a first hop, or
  // of the branch that has inherited them.
  std::optional<std::uint64_t> ingress;
  std::uint32_t above = 0xffff'ffff;  // has taken over from this one, or is about to
  std::uint32_t below = 0xffff'ffff;  // from which this one takes over
  ConnectionId shown_id;              // of the last handover; 0: none

  friend bool operator==(const HopExtras&, const HopExtras&) = default;
};

}  // namespace xbind
