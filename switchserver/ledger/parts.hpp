// The parts of a ledger. Each owns its data and states its invariants in its header; a later one
// refers to earlier ones, never the other way round:
//
//     PortNumbers ◀── PortAccounts        bandwidth and buffer of each port, by manager
//        ▲   ▲  ▲
//        │   │  └──── LabelPools ──▶ ManagerTable
//        │   │            ▲
//        │   └─ HopTable ◀┴─ LabelUsers   the hops on one label
//        │         ▲  ▲
//        │         │  └── HopExtrasTable  fields that few hops have
//        │         └───── HopStacks       generations of a hop on one another
//        └ Grants                         labels and quotas without a connection
//
// What must change together is a function over all of them: set_up.hpp, modify.hpp, claim.hpp,
// holdings.hpp, rebuild.hpp. self_check.hpp compares them with one another, room.hpp asks them.
#pragma once

#include <utility>

#include "switchserver/ledger/grants.hpp"
#include "switchserver/ledger/hop_extras.hpp"
#include "switchserver/ledger/hop_stacks.hpp"
#include "switchserver/ledger/hop_table.hpp"
#include "switchserver/ledger/label_pools.hpp"
#include "switchserver/ledger/label_users.hpp"
#include "switchserver/ledger/manager_table.hpp"
#include "switchserver/ledger/port_accounts.hpp"
#include "switchserver/ledger/port_numbers.hpp"
#include "switchserver/ledger/values.hpp"

namespace xbind {

struct LedgerParts {
  explicit LedgerParts(LedgerOptions with) : options(std::move(with)) {}
  LedgerParts(const LedgerParts&) = delete;  // the parts refer to one another
  LedgerParts& operator=(const LedgerParts&) = delete;
  ~LedgerParts() = default;

  LedgerOptions options;
  PortNumbers numbers;
  ManagerTable managers{options.managers_max};
  PortAccounts ports{numbers, options};
  LabelPools labels{numbers, managers, options};
  HopTable hops{numbers};
  HopExtrasTable extras{hops};
  LabelUsers users{hops, labels};
  HopStacks stacks{hops};
  Grants grants{numbers, managers, ports, labels, options};
};

}  // namespace xbind
