// Labels and quotas that managers have without a connection: granted, returned, and how much of
// them a manager may have before its calls need it (LedgerOptions::unused_percent).
//
// It owns nothing: labels are in LabelPools, quotas in PortAccounts. Constant time for one label or
// quota; grant_room() by the managers. The parts must outlive this object. One thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "switchserver/ledger/label_pools.hpp"
#include "switchserver/ledger/manager_table.hpp"
#include "switchserver/ledger/port_accounts.hpp"
#include "switchserver/ledger/port_numbers.hpp"
#include "switchserver/ledger/values.hpp"

namespace xbind {

class Grants {
 public:
  Grants(const PortNumbers& numbers, const ManagerTable& managers, PortAccounts& ports,
         LabelPools& labels, const LedgerOptions& options)
      : numbers_(numbers), managers_(managers), ports_(ports), labels_(labels), options_(options) {}

  // Moves up to `wanted` free output labels of the port to the manager's cache and to `granted`.
  // None of an unknown or missing port.
  LabelsMissing grant_labels(ManagerIndex manager, PortId port, std::size_t wanted,
                             std::vector<Label>& granted);
  // Frees a label of the manager's cache or quarantine. False for any other label.
  bool return_label(ManagerIndex manager, PortId port, Label label);
  // Raises the manager's quota by as much of `wanted` as is free. Returns the increase.
  Resources grant_quota(ManagerIndex manager, PortId port, Resources wanted);
  // Lowers the quota. Returns false if the quota was smaller than `amount`; it is then zero.
  bool return_quota(ManagerIndex manager, PortId port, Resources amount);
  // Declares the manager's demand for output labels of the port, for the rest of its session.
  // Ignores an unknown port.
  void declare(ManagerIndex manager, PortId port, std::uint32_t labels);
  // Puts a label into the manager's quarantine, unless a hop, an entry of the switch or another
  // manager has it.
  void claim_resting(ManagerIndex manager, PortId port, Label label);

  // As much of `wanted` as the manager may have before calls need it (LedgerOptions).
  GrantRoom grant_room(ManagerIndex manager, PortId port, const GrantRoom& wanted) const;
  PortHolding holding(ManagerIndex manager, PortId port) const;

 private:
  PortHolding holding_of(PortIndex out, ManagerIndex manager) const;

  const PortNumbers& numbers_;
  const ManagerTable& managers_;
  PortAccounts& ports_;
  LabelPools& labels_;
  const LedgerOptions& options_;
};

}  // namespace xbind
