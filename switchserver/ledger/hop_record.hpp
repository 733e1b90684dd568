// One hop as the ledger stores it: two cache lines, of which look-up and removal need the first.
// Every switch has one record for each of a million connections. Therefore no fact is stored twice,
// and fields that few hops have are elsewhere (hop_extras.hpp, hop_stacks.hpp).
// HopExtrasTable::setup_of() rebuilds the HopSetup.
//
// Values only; one thread. Only the ledger creates, changes and ends records. Its caller owns
// `claim`, `ticket` and the waiters, and changes nothing else. The private fields each belong to
// one part: the links to the lists of hops on one label to LabelUsers, `rare_`
// to HopExtrasTable, `stacked_` to HopStacks, all others to HopTable.
#pragma once

#include <cstdint>
#include <optional>

#include "core/audit.hpp"
#include "core/hop.hpp"
#include "switchserver/ledger/hop_fsm.hpp"
#include "switchserver/ledger/label_pool.hpp"

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
  friend class HopTable;
  friend class HopExtrasTable;
  friend class HopStacks;
  friend class LabelUsers;
  friend class LedgerTamper;  // breaks records on purpose (tests)

 public:
  static constexpr std::uint32_t kNil = 0xffff'ffff;

  HopKey key;

 private:
  std::uint32_t next_ =
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
  bool input_named : 1 = false;      // the setup named the input label; false: it was allotted
  bool output_named : 1 = false;     // the same for the output label
  bool earlier_session : 1 = false;  // a session of the manager has ended since its setup

 private:
  // Where the rare fields are. kEntering: nowhere, and bandwidth of the input port's receive side
  // is counted for this record, its demand. kPlain: nowhere. kExtras: in HopExtras, ingress as
  // well.
  enum class Rare : std::uint8_t { kPlain, kEntering, kExtras };
  Rare rare_ : 2 = Rare::kPlain;
  bool stacked_ : 1 = false;  // another generation is above or below

 public:
  HopClaim claim = HopClaim::kCompared;

 private:
  HopFsm::State state_ = HopFsm::State::kReserved;  // changed by HopTable::step() alone
  PortIndex input_port_;
  PortIndex output_port_;
  std::uint32_t input_ = 0;  // packed(), like `output_`
  std::uint32_t output_ = 0;
  std::uint32_t next_on_input_ = kNil;   // next hop with this input label; the pool has the head
  std::uint32_t next_on_output_ = kNil;  // next hop with this output label

 public:
  // The controller's own.
  std::uint32_t ticket = 0;             // distinguishes answers to an earlier user of this record
  std::uint32_t commit_waiters = kNil;  // heads of lists in the controller
  std::uint32_t remove_waiters = kNil;

 private:
  std::uint32_t owner_ = kNoOwner;  // in the OwnerNames of the HopTable

 public:
  std::uint64_t version = 0;  // the ledger's clock at the last change of this record's state
  Resources charge;           // counted on the output port for this record
  Resources demand;           // the present one: of the setup, or of the last modify

 private:
  PackedContract contract_;  // the present one, like demand

 public:
  RequestId request;

  TrafficContract contract() const { return contract_.contract(); }
  PortIndex input_port() const { return input_port_; }
  PortIndex output_port() const { return output_port_; }
  // Includes allotted labels; a reservation has no input label.
  Label input_label() const { return unpacked(input_); }
  Label output_label() const { return unpacked(output_); }
  std::uint32_t next_on_input() const { return next_on_input_; }  // kNil: the last one
  std::uint32_t next_on_output() const { return next_on_output_; }
  // Equal for hops of the same owner; kNoOwner: no owner is known.
  std::uint32_t owner() const { return owner_; }
  bool first() const { return key.hop == 0 && !branch; }  // as HopSetup::first()
  bool last() const { return key.hop + 1 == hop_count; }
  HopFsm::State state() const { return state_; }
  HopStage stage() const { return HopFsm::stage(state_); }
  // Committed, and no request is under way.
  bool settled() const { return HopFsm::settled(state_); }
};
static_assert(sizeof(HopRecord) == 128);

}  // namespace xbind
