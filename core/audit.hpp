// What an audit finds and reports. It compares three tables (docs/invariants.md: 1, 2 and 6): the
// switch's cross-connect table (read over GSMP), the SwitchServer's ledger, and the manager's
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"

namespace xbind {

enum class FindingKind : std::uint8_t {
  kStrayCrossConnect = 0,    // in the switch, in no ledger
  kMissingCrossConnect = 1,  // in the ledger, not in the switch
  kChangedCrossConnect = 2,  // the same input, another output than in the ledger
  kStrayHop = 3,             // in the ledger under the manager's name, unknown to the manager
  kMissingHop = 4,           // in the manager's table, not in the ledger
  kLeakedLabel = 5,          // neither free, nor cached, nor in a connection, nor in quarantine
  kDoubleLabel = 6,          // in two of those places at once
  kLeakedBandwidth = 7,      // a port's account differs from the sum of its connections and quotas
  kOwed = 8,                 // a removal that is not delivered yet; neither clean nor leaked
  kUnreadable = 9,           // a switch or SwitchServer did not answer: unknown, not missing
};

// "stray cross-connect", "missing cross-connect", ...
std::string_view to_string(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kStrayCrossConnect;
  std::string element;       // "switch-1 port 2"
  std::string text;          // actual and expected state, with labels and numbers
  std::uint64_t amount = 1;  // number of such things; cells/s for kLeakedBandwidth
  // What it is about, if its text has numbers that change while calls come and go; else empty. Two
  // looks have found the same thing if kind, element and this are equal.
  std::string about{};

  // The part of the finding that is equal in each look.
  const std::string& identity() const { return about.empty() ? text : about; }
  friend auto operator<=>(const Finding&, const Finding&) = default;
};

// Totals of an audit's findings.
struct AuditTotals {
  bool clean = true;                       // no finding except kOwed
  std::uint64_t stray_cross_connects = 0;  // stray, missing and changed ones
  std::uint64_t leaked_labels = 0;         // leaked or doubly held labels, stray or missing hops
  std::uint64_t leaked_bandwidth_cells_per_s = 0;
  std::uint64_t owed = 0;
  std::uint64_t unreadable = 0;
};
AuditTotals totals_of(const std::vector<Finding>& findings);

// One cross-connect as a switch reports it.
struct CrossConnect {
  PortId input_port;
  Label input_label;
  PortId output_port;
  Label output_label;

  friend auto operator<=>(const CrossConnect&, const CrossConnect&) = default;
};

// "port 1 0/32 -> port 2 0/40"
std::string to_string(const CrossConnect& cross_connect);
// "switch-1 port 2", the element of a finding.
std::string port_element(std::string_view switch_name, PortId port);

// How far a hop has come in its ledger (switchserver/ledger/ledger.hpp has the table).
enum class HopStage : std::uint8_t {
  kReserved = 0,    // label and resources are reserved
  kCommitting = 1,  // the switch has been asked to program it
  kCommitted = 2,
  kRemoving = 3,
};
inline constexpr HopStage kHopStageLast = HopStage::kRemoving;

// One hop as a ledger stores it. Two tables may differ in a hop that is being committed or removed;
// that is no error.
struct LedgerHop {
  HopKey key;
  CrossConnect cross_connect;  // labels as committed; kNone where not known yet
  Resources demand;
  bool settled = false;  // committed, and no change under way
  TrafficContract contract{};
  bool held = false;  // reserved for a hold
  // Of a hold that is not committed: the rest of its time, as of this report or claim. A duration
  // and not a time of day: each process counts it by its own steady clock.
  Duration hold_left{};
  std::uint16_t hop_count = 0;  // switches of its leg
  std::uint32_t owner = 0;      // of the call: index into the report's owners, or kNoOwner
  RequestId request{};          // the client's request number of the setup
  // What a manager needs besides to rebuild its record (cmgr/procedures/recovery.hpp).
  HopStage stage = HopStage::kCommitted;
  bool branch = false;         // as in the setup, see core/hop.hpp
  bool bidirectional = false;  // as in the setup
  bool superseded = false;     // a later generation has taken over: no cells pass this hop
  std::uint32_t revision = 0;  // of the last modify; 0: none
  ConnectionId shown_id{};     // under which the owner knows the connection; 0: its own
  bool enters = false;         // its demand is counted where the cells enter the network
  // Of a claim: derived from the hops beside it by a manager of a later epoch, which wants it only
  // if the switch has it.
  bool rebuilt = false;

  friend bool operator==(const LedgerHop&, const LedgerHop&) = default;
};

// Hops in one page, at most (idl/switch_server.idl).
inline constexpr std::size_t kHopsPerPage = 5'000;

// One page of the hops that a ledger holds for a manager.
struct HeldHops {
  std::vector<LedgerHop> hops;  // their `owner` is an index into `owners`
  std::vector<HopOwner> owners;
  std::uint64_t next = 0;  // where the next page begins; 0: this is the last one
};

// One page of what a manager claims at a SwitchServer that has lost its ledger.
struct HopClaims {
  // Committed, reserved and held, or being removed. One being removed may lack labels that no
  // answer has named, a hold's last hop its egress label, and a rebuilt one what the hops beside it
  // do not tell: ports, labels. `settled`: of one being removed, whether it had been committed; of
  // others, whether the switch has their contract. `revision`: of a later modify is higher, and of
  // two hops the one with the higher revision has heard of the last owner. `superseded` is not
  // used.
  // idl/switch_server.idl has the rules.
  std::vector<LedgerHop> hops;
  std::vector<HopOwner> owners;  // of the hops
  // Labels of hops that are removed here, while the hop at the far end may still have them.
  std::vector<PortLabels> resting;
  bool last = false;  // the last page
  // On the last page: nothing else of this manager's name exists there; the SwitchServer awaits its
  // claims no more. A manager of a later epoch knows it when it has read all other ledgers.
  bool all = true;

  friend bool operator==(const HopClaims&, const HopClaims&) = default;
};

// Instead of a number of entries that nobody has claimed: claims are awaited, or the switch's table
// has not been read.
inline constexpr std::uint64_t kEntriesUnknown = 0xffff'ffff;

// The answer to a page of claims.
struct ClaimsTaken {
  std::vector<HopResult> refused;
  std::vector<PortLabels> quarantined;  // of this manager, after its last page; else empty
  // Entries of the switch on inputs of this manager's hops that no hop claims; as above.
  std::vector<CrossConnect> unclaimed{};
  std::uint64_t unclaimed_entries = kEntriesUnknown;  // of the switch; a number, or unknown
};

// A difference between a switch's table and its ledger on one input. A changed entry has both.
struct EntryDifference {
  FindingKind kind = FindingKind::kStrayCrossConnect;  // or kMissing-, kChangedCrossConnect
  std::optional<CrossConnect> extra;                   // only the switch has it
  std::optional<CrossConnect> missing;                 // only the ledger has it

  friend bool operator==(const EntryDifference&, const EntryDifference&) = default;
};

// The finding of a difference at that switch. `shared`: the ledger has the input of a stray entry.
Finding finding_of(std::string_view switch_name, const EntryDifference& difference, bool shared);

// What is looked at of one connection of a manager, at one switch. At most kCallLegsMax and
// kCallInputsMax.
struct CallQuestion {
  ConnectionId connection;           // as in HopKey
  std::vector<std::uint16_t> legs;   // besides 0 and 1
  std::vector<CrossConnect> inputs;  // where the manager has it; their outputs are not used
};
inline constexpr std::size_t kCallLegsMax = 256;
inline constexpr std::size_t kCallInputsMax = 1'000;

// What a SwitchServer and its switch have of one connection.
struct CallAtSwitch {
  std::vector<LedgerHop> hops;  // of the ledger, ascending by leg, hop and generation
  std::vector<HopOwner> owners;
  std::string unreadable;                    // why the switch's entries are not known; empty: known
  std::vector<CrossConnect> entries;         // of the switch, on the inputs that were read; sorted
  std::vector<EntryDifference> differences;  // between these entries and the ledger
  std::size_t acted = 0;                     // of a repair: on how many differences

  friend bool operator==(const CallAtSwitch&, const CallAtSwitch&) = default;
};

// A SwitchServer's report to one manager about itself and what that manager holds.
struct LedgerReport {
  std::vector<Finding> findings;        // switch against ledger, and ledger against itself
  std::vector<LedgerHop> hops;          // of this manager, ascending key
  std::vector<HopOwner> owners;         // of the hops
  std::vector<PortLabels> cached;       // granted to this manager and in no connection
  std::vector<PortLabels> quarantined;  // released by this manager, not yet returned
  std::uint64_t cross_connects = 0;     // number of all cross-connects of the switch
  std::size_t repaired = 0;             // of a repair: findings that were acted on
};

}  // namespace xbind
