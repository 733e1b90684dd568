// Decides which labels are free when hops are removed. A label is free when no hop that uses it
// owes a removal: neither the hop that it leaves nor any hop that it enters (docs/invariants.md,
// 1).
#pragma once

#include <memory>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

// Hops that are being removed, and the trees that they refer to.
struct GoingHops {
  Connection& connection;
  Hops& hops;
  DebtLabels* debt_labels;  // labels of these hops that debts hold; null: none
  Hops* stock;              // the connection's tree when `hops` is a scion; else null
};

// The output label of the hop.
OwedLabel label_of(const Hop& hop);

// The output label of a hop of the connection, for debts of hops beside the connection's tree to
// hold: the hop may be removed before they are paid. Null: the label is not the manager's.
std::shared_ptr<OwedLabel> share_label_with_debts(Connection& connection, const Hop& owner);

// Turns every hop that still owes its removal into a debt, which holds the labels that the hop may
// use.
void owe_unconfirmed(const GoingHops& going, SwitchDesk& switches, TimePoint now);

// Every hop that might use the labels has confirmed its removal or owes it: releases the labels
// that no debt holds from quarantine. `refused`: the hop whose label the other end of the link has
// refused, or null.
void settle_labels(const Hops& hops, DebtLabels* debt_labels, SwitchDesk& switches, TimePoint now,
                   const Hop* refused = nullptr);

// Moves the output labels of `hops` from one list of labels that debts hold to another. `from` may
// be null: no labels.
void move_debt_labels(const Hops& hops, DebtLabels* from, DebtLabels& to);

}  // namespace xbind::cmgr
