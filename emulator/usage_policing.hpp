// Polices the connections of a fabric by the contracts of their branches: a connection is policed
// whose input side has a service and a traffic block that asks for it (TC flag U, RFC 3292 section
// 10.4). The contract is looked at with each cell, so a changed one holds from the next cell on; of a
// tree, the first branch's is the connection's.
//
//   CBR, UBR, GFR   PCR of CLP 0 + 1; the frames of GFR are not looked at
//   VBR.1           PCR and SCR of CLP 0 + 1
//   VBR.2           PCR of CLP 0 + 1, SCR of CLP 0
//   VBR.3           likewise; what exceeds the SCR is tagged where the mode is kTag
//
// Memory: 8 octets for each slot of the table up to the last policed one, and about 130 for each
// connection that was ever policed, until another connection takes its slot: bounded by
// connections_max. The fabric's thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dataplane/policing.hpp"
#include "emulator/fabric.hpp"

namespace xbind::emulator {

enum class PolicingMode : std::uint8_t {
  kOff,
  kTag,      // where the conformance definition knows tagging; discards the rest
  kDiscard,  // everything that exceeds its contract
};

// What of a branch's contract is policed; nothing: the contract does not ask for it.
std::optional<dataplane::PolicedContract> policed_contract(const QosProfile& profile,
                                                           PolicingMode mode);

class UsagePolicing final : public dataplane::Policing {
 public:
  // `fabric` outlives it. `mode` is not kOff.
  UsagePolicing(const Fabric& fabric, PolicingMode mode) : fabric_(fabric), mode_(mode) {}

  dataplane::Verdict police(const dataplane::Connection& connection, bool clp,
                            TimePoint now) override;
  dataplane::PolicingCounters counters(dataplane::ConnectionRef connection) const override;
  // Of all connections since the start.
  const dataplane::PolicingCounters& total() const { return total_; }

 private:
  struct Policed {
    dataplane::ConnectionRef connection;
    dataplane::Policer policer;
    dataplane::PolicingCounters counters;
  };

  // Null: the connection is not policed.
  Policed* policed(const dataplane::Connection& connection);

  const Fabric& fabric_;
  PolicingMode mode_;
  std::vector<std::unique_ptr<Policed>> slots_;  // by the slot of a ConnectionRef
  dataplane::PolicingCounters total_;
};

}  // namespace xbind::emulator
