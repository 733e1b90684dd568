// The procedures of a SwitchController, over what they share. Each owns the state of one matter and
// brings it to its end:
//
//     Commands ───────▶ HopRequests ◀──▶ ContractChanges   one hop: commit, removal, modify
//        │                 ▲   ▲
//        ▼                 │   │
//     LabelExchange        │   ├── TableMatch ◀── Claims   the whole table against the ledger
//                          │   ├── TableCheck              in the background, port by port
//     Sessions             │   └── Repairs ◀── Audits, CallLooks
//                          │
//     SwitchLife ──────────┘                               the switch comes, goes and answers
//     CellCounts
//
// Calls go along the arrows; SwitchLife also ends what the others have open when the switch goes.
#pragma once

#include "switchserver/controller/audits.hpp"
#include "switchserver/controller/call_looks.hpp"
#include "switchserver/controller/cell_counts.hpp"
#include "switchserver/controller/claims.hpp"
#include "switchserver/controller/commands.hpp"
#include "switchserver/controller/contract_changes.hpp"
#include "switchserver/controller/hop_requests.hpp"
#include "switchserver/controller/label_exchange.hpp"
#include "switchserver/controller/repairs.hpp"
#include "switchserver/controller/sessions.hpp"
#include "switchserver/controller/shared.hpp"
#include "switchserver/controller/switch_life.hpp"
#include "switchserver/controller/table_check.hpp"
#include "switchserver/controller/table_match.hpp"

namespace xbind::controller {

struct Parts : Shared {
  using Shared::Shared;

  // Whether a table or some of its inputs are being read: removals are to be noted meanwhile.
  bool reading() const { return audits.open() || looks.open() || check.rounds().looking(); }

  HopRequests hops{*this};
  ContractChanges changes{*this};
  TableMatch match{*this};
  Claims claims{*this};
  Sessions sessions{*this};
  LabelExchange exchange{*this};
  Commands commands{*this};
  Repairs repairs{*this};
  Audits audits{*this};
  CallLooks looks{*this};
  TableCheck check{*this};
  CellCounts cells{*this};
  SwitchLife life{*this};
};

}  // namespace xbind::controller
