// Which labels are free when hops go: a label is free when no hop that uses it owes a removal any more, the
// one it comes out of and all it goes into (docs/invariants.md, 1).
#pragma once

#include <memory>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

// Hops that are going, and where the hops that they refer to are.
struct GoingHops {
  Connection& connection;
  Hops& hops;
  LentLabels* lent;  // of these hops; null: none
  Hops* stock;       // the connection's, when these are a scion; else null
};

// The label that comes out of the hop.
OwedLabel label_of(const Hop& hop);

// Every hop that still owes its removal becomes a debt, which holds the labels that the hop may use.
void owe_unconfirmed(const GoingHops& going, SwitchDesk& switches, TimePoint now);

// Every hop that might use them has confirmed its removal or owes it: labels that no debt holds leave
// quarantine.
void settle_labels(const Hops& hops, LentLabels* lent, SwitchDesk& switches, TimePoint now);

// Moves the labels that come out of `hops` from one list of lent labels to another.
// `from`: null: there are none.
void move_lent(const Hops& hops, LentLabels* from, LentLabels& to);

}  // namespace xbind::cmgr
