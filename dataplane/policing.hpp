// Usage parameter control (ITU-T I.371 section 7; ATM Forum TM 4.0 section 4.4): decides about
// cells that exceed their connection's contract. Policing is the fabric's interface, called before
// the table's branches are used; Policer is the rule for one connection.
//
//   cells with CLP 0 and 1 ──▶ GCRA(1/PCR, CDVT) ──▶ GCRA(1/SCR, BT + CDVT) ──▶ pass
//                                 │ no                  │ no, of CLP 0 + 1, or of CLP 0 alone
//                                 ▼                     ▼
//                              discard               discard, or tag (CLP = 1)
//
// A cell charges the algorithms only when it passes: both of them, or only that of the peak rate if
// it is tagged. Integers only; the caller passes the time. Not thread-safe.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "dataplane/forwarding_table.hpp"
#include "dataplane/gcra.hpp"

namespace xbind::dataplane {

enum class Verdict : std::uint8_t { kPass, kTag, kDiscard };

struct PolicingCounters {
  std::uint64_t tagged = 0;
  std::uint64_t discarded = 0;
};

// Polices all connections of a fabric. Called on the fabric's thread.
class Policing {
 public:
  virtual ~Policing() = default;

  // A cell of user data has arrived on `connection`.
  virtual Verdict police(const Connection& connection, bool clp, TimePoint now) = 0;
  // Counted since the connection was made; zero if it is not policed or has ended.
  virtual PolicingCounters counters(ConnectionRef connection) const = 0;
};

// As stated in a contract (TM 4.0 table 2-1). A rate of 0 is not policed.
struct PolicedContract {
  std::uint32_t pcr_cells_per_s = 0;  // of all cells, CLP 0 + 1
  std::uint32_t cdvt_us = 0;          // 24 bits
  std::uint32_t scr_cells_per_s = 0;  // at most the PCR
  std::uint32_t mbs_cells = 0;        // 24 bits; at the SCR's tolerance
  bool scr_of_clp0 = false;           // VBR.2 and .3: the SCR applies to cells with CLP 0
  bool tagging = false;               // VBR.3: cells above the SCR are tagged, not discarded

  bool policed() const { return pcr_cells_per_s != 0 || scr_cells_per_s != 0; }
  friend bool operator==(const PolicedContract&, const PolicedContract&) = default;
};

// The burst tolerance (MBS - 1)(1/SCR - 1/PCR), TM 4.0 section 4.4.3.3; rounded up by at most 2 ns.
Duration burst_tolerance(const PolicedContract& contract);

class Policer {
 public:
  explicit Policer(const PolicedContract& contract);

  const PolicedContract& contract() const { return contract_; }
  Verdict police(bool clp, TimePoint now);

 private:
  PolicedContract contract_;
  Gcra peak_;
  Gcra sustainable_;
};

}  // namespace xbind::dataplane
