// What the procedures of a SwitchController share: its parts that know nothing of the procedures.
#pragma once

#include <utility>

#include "switchserver/controller/answers.hpp"
#include "switchserver/controller/ended_entries.hpp"
#include "switchserver/controller/hop_traces.hpp"
#include "switchserver/controller/options.hpp"
#include "switchserver/controller/recall_desk.hpp"
#include "switchserver/controller/settling.hpp"
#include "switchserver/controller/switch_counters.hpp"
#include "switchserver/controller/switch_link.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind::controller {

struct Shared {
  Shared(SwitchControllerOptions with, SwitchDriver& driver)
      : options(std::move(with)), link(driver) {}
  Shared(const Shared&) = delete;  // the parts refer to one another
  Shared& operator=(const Shared&) = delete;
  ~Shared() = default;

  SwitchControllerOptions options;
  SwitchLink link;
  Ledger ledger{options.ledger};
  SwitchCounters counters;
  HopTraces traces{options.trace_slow};
  RecallDesk recalls;
  Settling settling{options.known, options.claims_wait};
  EndedEntries ended;
  TimePoint now{};  // of the present commands or event
  Outputs outputs;  // of this step
  Answers answers{*this};
};

}  // namespace xbind::controller
