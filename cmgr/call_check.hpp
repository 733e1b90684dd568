// One connection, hop by hop: what the manager has, compared with what the ledgers and the switches
// of its path have. The comparison of whole switches is manager_view.hpp. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/audit.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

// What the manager has of one connection at one moment.
struct CallView {
  struct Place {
    std::string switch_name;
    std::uint16_t number = 0;  // as operators see it (Hops::shown_numbers())
    LedgerHop hop;             // key, labels, demand, contract and stage

    friend bool operator==(const Place&, const Place&) = default;
  };
  ConnectionId id;       // as in HopKey
  bool settled = false;  // up or held, and nothing is under way
  std::vector<Place> hops;
  std::vector<HopKey> owed;  // removals and changes of it that are owed at these switches

  friend bool operator==(const CallView&, const CallView&) = default;
};

// The switches of the path, each once, in its order.
std::vector<std::string> switches_of(const CallView& view);
// What is asked of one of them.
CallQuestion question_about(const CallView& view, const std::string& switch_name);

// What is wrong with a hop.
struct HopFinding {
  std::uint16_t leg = 0;
  std::uint16_t number = 0;  // CallView::Place; of a hop that only the ledger has, HopKey::hop
  Finding what;
  // What a repair would act on. Findings that came from a peer have neither.
  std::optional<EntryDifference> difference{};
  std::optional<LedgerHop> stray{};
};

struct SwitchCheck {
  std::string switch_name;
  std::string unreachable;  // why its SwitchServer did not answer; empty: it did
  CallAtSwitch there;
  std::vector<HopFinding> findings;
};

struct CallCheck {
  bool settled = false;  // false: nothing is judged
  std::vector<SwitchCheck> switches;
};

// The answers of the SwitchServers, by switch.
using CallLooks = std::map<std::string, Result<CallAtSwitch>>;

// The views were taken before and after the looks. Judges nothing if they differ.
CallCheck compare(const CallView& before, const CallLooks& looks, const CallView& after);

// Whether another look may clear up a finding of the check.
bool is_doubtful(const CallCheck& check);
// The second check with the findings that both have. Unreadable ones of the second stay.
CallCheck seen_twice(const CallCheck& first, CallCheck second);

// What can be done at one switch about findings of the check that are also in `seen`.
struct CallRepairs {
  std::string switch_name;
  std::vector<LedgerHop> stray_hops;         // to be removed: only the ledger has them
  std::vector<EntryDifference> differences;  // for the SwitchServer
};
// Switches at which nothing is to be done are missing. Nothing is done while the call is not
// settled.
std::vector<CallRepairs> repairs_of(const CallCheck& check, const std::vector<HopFinding>& seen);

}  // namespace xbind::cmgr
