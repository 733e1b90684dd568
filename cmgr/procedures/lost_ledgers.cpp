#include "cmgr/procedures/lost_ledgers.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind::cmgr {

bool LostLedgers::is(SwitchIndex at, State state) const {
  const auto found = lost_.find(at);
  return found != lost_.end() && found->second.state == state;
}

std::size_t LostLedgers::open_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      lost_, [](const auto& entry) { return entry.second.state != State::kAnswered; }));
}

// Each end of it: what was not there at one may be asked for from the other side.
bool LostLedgers::is_answered(const Gap& gap) const {
  const auto& refused = lost_.at(gap.at()).refused;
  return (!gap.in || refused.contains(*gap.in)) && (!gap.out || refused.contains(*gap.out));
}

// The newest ones of calls' hops that ledgers are being asked for: each may be taken.
std::map<ConnectionId, Generation> LostLedgers::asked_generations() const {
  std::map<ConnectionId, Generation> newest;
  for (const auto& [at, lost] : lost_) {
    if (lost.state != State::kAsked) continue;
    for (const Gap& gap : lost.asked) {
      Generation& asked = newest[gap.claim.key.connection];
      asked = std::max(asked, gap.claim.key.generation);
    }
  }
  return newest;
}

std::vector<SwitchIndex> LostLedgers::plan(std::map<SwitchIndex, std::vector<Gap>> gaps) {
  std::vector<SwitchIndex> wanted;
  for (auto& [at, lost] : lost_) {
    if (lost.state == State::kAsked) continue;
    const auto found = gaps.find(at);
    const bool answered = lost.state == State::kAnswered;
    if (answered && (found == gaps.end() || lost.rounds >= kRoundsMax)) continue;
    ++lost.rounds;
    lost.asked = found == gaps.end() ? std::vector<Gap>{} : std::move(found->second);
    lost.state = State::kAsked;
    wanted.push_back(at);
  }
  return wanted;
}

const std::vector<Gap>& LostLedgers::asks(SwitchIndex at) const {
  static const std::vector<Gap> kNone;
  const auto found = lost_.find(at);
  return found == lost_.end() || found->second.state != State::kAsked ? kNone : found->second.asked;
}

void LostLedgers::answered(SwitchIndex at, const ClaimsAnswer& answer) {
  const auto found = lost_.find(at);
  if (found == lost_.end()) return;
  Lost& lost = found->second;
  lost.table_kept = answer.table_kept;
  lost.shared.clear();  // hops that were claimed now may have these entries
  for (const CrossConnect& entry : answer.unclaimed) {
    lost.shared.emplace(entry.input_port, entry.input_label);
  }
  for (const HopResult& refused : answer.refused) {
    const auto gap =
        std::ranges::find(lost.asked, refused.key, [](const Gap& it) { return it.claim.key; });
    if (gap == lost.asked.end()) continue;
    std::optional<Missing> why;
    if (refused.cause == Cause::kNotConnected) {
      if (!lost.table_kept || planted(Bug::kRemovedKept)) why = Missing::kNoEntry;
    } else {
      why = refused.cause == Cause::kIncomplete && refused.asked == 0 ? Missing::kNoOutputs
                                                                      : Missing::kSeveralEntries;
    }
    if (gap->in) lost.refused[*gap->in] = why;
    if (gap->out) lost.refused[*gap->out] = why;
  }
}

void LostLedgers::read_again(SwitchIndex at) {
  const auto found = lost_.find(at);
  if (found == lost_.end()) return;
  found->second.state = State::kAnswered;
  found->second.asked.clear();
}

std::optional<std::pair<SwitchIndex, Missing>> LostLedgers::entry_beside(
    const std::vector<FoundHop>& call) const {
  if (planted(Bug::kSharedInputOverseen)) return std::nullopt;
  for (const FoundHop& hop : call) {
    const auto found = lost_.find(hop.at);
    if (found == lost_.end()) continue;
    const Lost& lost = found->second;
    // The hop was claimed by an earlier epoch, which may not have known all branches there.
    if (lost.state != State::kAnswered) return std::pair{hop.at, Missing::kNotClaimed};
    const CrossConnect& here = hop.hop.cross_connect;
    if (lost.shared.contains({here.input_port, here.input_label})) {
      return std::pair{hop.at, Missing::kOtherEntry};
    }
  }
  return std::nullopt;
}

std::optional<std::pair<SwitchIndex, Missing>> LostLedgers::missing(
    const std::vector<FoundHop>& call, const KnownLinks& links) const {
  if (lost_.empty()) return std::nullopt;
  if (const auto entry = entry_beside(call)) return entry;
  const auto is_lost_at = [this](SwitchIndex at) { return is_lost(at); };
  for (const Gap& gap : gaps_of(call, links, is_lost_at, {}, ends_)) {
    const Lost& lost = lost_.at(gap.at());
    if (lost.state != State::kAnswered) return std::pair{gap.at(), Missing::kNotClaimed};
    std::optional<Missing> why = Missing::kNotClaimed;
    for (const auto& end : {gap.in, gap.out}) {
      if (!end) continue;
      const auto refused = lost.refused.find(*end);
      if (refused != lost.refused.end()) why = refused->second;
      if (why) break;
    }
    if (why) return std::pair{gap.at(), *why};
  }
  return std::nullopt;
}

std::vector<SwitchIndex> LostLedgers::let_go(const std::function<bool(SwitchIndex)>& kept) {
  std::vector<SwitchIndex> gone;
  for (const auto& [at, lost] : lost_) {
    if (lost.state == State::kAnswered && !kept(at)) gone.push_back(at);
  }
  for (const SwitchIndex at : gone) lost_.erase(at);
  return gone;
}

}  // namespace xbind::cmgr
