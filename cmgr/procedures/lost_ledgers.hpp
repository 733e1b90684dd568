// SwitchServers that have lost their ledgers before a manager of a new epoch could read them, and
// what the manager asks them (idl/switch_server.idl, claim_hops):
//
//     read ──▶ to ask ──▶ asked ──▶ answered ──▶ let go
//                 ▲                    │
//                 └─ more is known ────┘
//
// It asks when every other switch has been read, or when it serves without: then the hops of calls
// tell what the lost ledgers had (found_gaps.hpp). An answer may tell more about other lost
// ledgers, which are asked again. A ledger is let go, and its SwitchServer awaits no more claims,
// when nothing is left that it may have lost; until then a later epoch will ask it again.
//
// Pure; owned by Recovery.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cmgr/parts/found_gaps.hpp"
#include "cmgr/parts/incomplete_call.hpp"
#include "core/audit.hpp"

namespace xbind::cmgr {

// The answer to the claims at one switch.
struct ClaimsAnswer {
  std::vector<HopResult> refused;
  std::vector<CrossConnect> unclaimed;
  bool table_kept = false;  // by the switch, since the ledger was lost
};

class LostLedgers {
 public:
  // `ends`: where endpoints are connected.
  explicit LostLedgers(EndsAt ends) : ends_(std::move(ends)) {}

  // That ledger has been read, and was lost.
  void read(SwitchIndex at) { lost_[at].state = State::kToAsk; }
  bool is_lost(SwitchIndex at) const { return lost_.contains(at); }
  bool is_asked(SwitchIndex at) const { return is(at, State::kAsked); }
  // How many of them are still to answer.
  std::size_t open_count() const;
  bool empty() const { return lost_.empty(); }

  // Plans what to ask, from calls that are not whole: visit_calls(void(const Call&)) visits each.
  // Returns the switches that are to be attached to again.
  template <class VisitCalls>
  std::vector<SwitchIndex> ask(VisitCalls&& visit_calls, const KnownLinks& links) {
    std::map<SwitchIndex, std::vector<Gap>> gaps;
    const std::function<bool(SwitchIndex)> lost = [this](SwitchIndex at) { return is_lost(at); };
    const std::map<ConnectionId, Generation> newest = asked_generations();
    visit_calls([&](const std::vector<FoundHop>& call) {
      const auto asked = newest.find(call.front().hop.key.connection);
      const Generation above = asked == newest.end() ? Generation{} : asked->second;
      for (Gap& gap : gaps_of(call, links, lost, above, ends_)) {
        if (is_answered(gap) || gap.waits_for_caller) continue;
        gaps[gap.at()].push_back(std::move(gap));
      }
    });
    return plan(std::move(gaps));
  }
  // What is asked there.
  const std::vector<Gap>& asks(SwitchIndex at) const;

  void answered(SwitchIndex at, const ClaimsAnswer& answer);
  // The ledger has been read again after it.
  void read_again(SwitchIndex at);

  // Whether that call may have lost hops that an answer has not decided, and why they are missing.
  // nullopt: what it lacks was removed, or never set up.
  std::optional<std::pair<SwitchIndex, Missing>> missing(const std::vector<FoundHop>& call,
                                                         const KnownLinks& links) const;

  // A switch that has an entry on an input of the call which no ledger knows, a leaf of it perhaps;
  // or of which that is not known, because its ledger has not answered yet.
  std::optional<std::pair<SwitchIndex, Missing>> entry_beside(
      const std::vector<FoundHop>& call) const;

  // Forgets the ledgers that have answered, except those for which `kept` is true. Returns them.
  std::vector<SwitchIndex> let_go(const std::function<bool(SwitchIndex)>& kept);
  void forget(SwitchIndex at) { lost_.erase(at); }

 private:
  enum class State : std::uint8_t { kToAsk, kAsked, kAnswered };
  struct Lost {
    State state = State::kToAsk;
    std::vector<Gap> asked;
    // Of places where a hop was asked for, and was not there: why. nullopt: it was removed.
    std::map<GapEnd, std::optional<Missing>> refused;
    // Inputs of hops on which the switch has other entries.
    std::set<std::pair<PortId, Label>> shared;
    bool table_kept = false;
    std::size_t rounds = 0;
  };
  // How often one is asked at most: a SwitchServer that takes claims and does not list them would
  // be asked for ever.
  static constexpr std::size_t kRoundsMax = 32;

  bool is(SwitchIndex at, State state) const;
  bool is_answered(const Gap& gap) const;
  std::map<ConnectionId, Generation> asked_generations() const;
  std::vector<SwitchIndex> plan(std::map<SwitchIndex, std::vector<Gap>> gaps);

  EndsAt ends_;
  std::map<SwitchIndex, Lost> lost_;
};

}  // namespace xbind::cmgr
