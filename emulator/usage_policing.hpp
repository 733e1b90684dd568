// Polices the connections of a fabric by the contracts of their branches: a connection is policed
// if its input side has a service and a traffic block that requests policing (TC flag U, RFC 3292
// section 10.4). The contract is read for each cell, so a change applies from the next cell on. In
// a tree the first branch has the contract of the connection.
//
//   CBR, UBR, GFR   PCR of CLP 0 + 1; GFR frames are not inspected
//   VBR.1           PCR and SCR of CLP 0 + 1
//   VBR.2           PCR of CLP 0 + 1, SCR of CLP 0
//   VBR.3           as VBR.2; cells above the SCR are tagged if the mode is kTag
//
// Memory: 8 octets for each slot of the table up to the last policed one, and about 130 for each
// policed connection, until another connection reuses its slot. Bounded by connections_max. Use on
// the fabric's thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dataplane/policing.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::emulator {

enum class PolicingMode : std::uint8_t {
  kOff,
  kTag,      // if the conformance definition allows tagging; otherwise discards
  kDiscard,  // everything that exceeds its contract
};

// The policed part of a branch's contract; nullopt if it does not request policing.
std::optional<dataplane::PolicedContract> policed_contract(const switchagent::QosProfile& profile,
                                                           PolicingMode mode);

class UsagePolicing final : public dataplane::Policing {
 public:
  // `fabric` must outlive this object. `mode` must not be kOff.
  UsagePolicing(const switchagent::Fabric& fabric, PolicingMode mode)
      : fabric_(fabric), mode_(mode) {}

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

  const switchagent::Fabric& fabric_;
  PolicingMode mode_;
  std::vector<std::unique_ptr<Policed>> slots_;  // by the slot of a ConnectionRef
  dataplane::PolicingCounters total_;
};

}  // namespace xbind::emulator
