#include "cmgr/parts/found_gaps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cmgr/parts/found_joints.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// Where the hop of this call at the other end of a lost one is known.
using Ends = std::map<GapEnd, const FoundHop*>;

bool tells_more(const FoundHop& one, const FoundHop& other) {
  if (one.carries() != other.carries()) return one.carries();
  if (one.hop.branch != other.hop.branch) return other.hop.branch;
  return one.hop.key.generation > other.hop.key.generation;
}

void note(Ends& ends, const GapEnd& end, const FoundHop& hop) {
  const auto [entry, fresh] = ends.try_emplace(end, &hop);
  if (!fresh && tells_more(hop, *entry->second)) entry->second = &hop;
}

bool is_in_switch(const FoundHop& hop) { return hop.hop.stage != HopStage::kReserved; }

class Gaps {
 public:
  Gaps(const std::vector<FoundHop>& call, const KnownLinks& links,
       const std::function<bool(SwitchIndex)>& lost, Generation asked, const EndsAt& ends)
      : call_(call), links_(links), lost_(lost), ends_(ends), newest_(asked.value()) {}

  std::vector<Gap> found() {
    look();
    for (const auto& [end, hop] : outs_) {
      if (const auto in = before(end, *hop)) {
        add(in->first, in->second, end, hop);
        paired_.insert(in->first);
      } else {
        add(std::nullopt, nullptr, end, hop);
      }
    }
    for (const auto& [end, hop] : ins_) {
      if (!paired_.contains(end)) add(end, hop, std::nullopt, nullptr);
    }
    part_equal_keys();
    let_one_enter();
    return std::move(gaps_);
  }

 private:
  void look() {
    std::set<FoundPlace> inputs;
    std::set<FoundPlace> outputs;
    std::set<FoundPlace> entrances;
    for (const FoundHop& hop : call_) {
      // No hop leads there, also to the branches that have the same input, even if the topology has
      // a link at the endpoint.
      if (hop.begins()) entrances.insert(input_of(hop));
      if (!is_in_switch(hop)) continue;
      inputs.insert(input_of(hop));
      outputs.insert(output_of(hop));
      newest_ = std::max(newest_, hop.hop.key.generation.value());
    }
    for (const FoundHop& hop : call_) {
      if (!is_in_switch(hop)) continue;
      const CrossConnect& here = hop.hop.cross_connect;
      if (!hop.last() && here.output_label.present()) {
        const auto far = links_.far_end(hop.at, here.output_port);
        if (far && lost_(far->first) &&
            !inputs.contains({far->first, far->second, here.output_label})) {
          note(ins_, {far->first, true, far->second, here.output_label}, hop);
        }
      }
      if (entrances.contains(input_of(hop)) || !here.input_label.present()) continue;
      const auto far = links_.far_end(hop.at, here.input_port);
      if (far && lost_(far->first) &&
          !outputs.contains({far->first, far->second, here.input_label})) {
        note(outs_, {far->first, false, far->second, here.input_label}, hop);
      }
    }
  }

  // Where cells come in that leave towards `next`, if the numbers say it.
  std::optional<std::pair<GapEnd, const FoundHop*>> before(const GapEnd& out,
                                                           const FoundHop& next) const {
    for (const auto& [in, hop] : ins_) {
      if (in.at != out.at) continue;
      const HopKey& one = hop->hop.key;
      const HopKey& other = next.hop.key;
      const bool in_a_row =
          one.leg == other.leg && one.generation == other.generation && one.hop + 2 == other.hop;
      // Nothing but branches is left where cells enter the next switch.
      const bool forks = next.hop.branch && other.hop == 0 && one.leg != 1 && one.leg < other.leg;
      if (in_a_row || forks) return std::pair{in, hop};
    }
    return std::nullopt;
  }

  void add(const std::optional<GapEnd>& in, const FoundHop* from, const std::optional<GapEnd>& out,
           const FoundHop* to) {
    const FoundHop& beside = from != nullptr && (to == nullptr || to->hop.branch) ? *from
                             : to != nullptr                                      ? *to
                                                                                  : *from;
    Gap gap;
    gap.in = in;
    gap.out = out;
    LedgerHop& claim = gap.claim;
    claim.key = beside.hop.key;
    if (in) {
      claim.cross_connect.input_port = in->port;
      claim.cross_connect.input_label = in->label;
    }
    if (out) {
      claim.cross_connect.output_port = out->port;
      claim.cross_connect.output_label = out->label;
    }
    const bool moved = place(claim, gap.at(), from, to);
    const bool numbered = (from != nullptr && to != nullptr) || has_one_generation(claim.key.leg);
    if ((!numbered || moved || is_known(claim.key)) && !planted(Bug::kRebuiltOldGeneration)) {
      claim.key.generation = Generation{++newest_};
    }
    claim.demand = beside.hop.demand;
    claim.contract = beside.hop.contract;
    claim.bidirectional = beside.hop.bidirectional;
    claim.stage = HopStage::kCommitted;
    claim.rebuilt = true;
    const FoundHop* const owned = owned_hop(call_);
    const FoundHop& known = owned != nullptr ? *owned : beside;
    claim.request = known.hop.request;
    claim.shown_id = known.hop.shown_id;
    claim.revision = known.hop.revision;
    gap.owner = known.owner();
    // Each leg beyond 1 has a destination of its own.
    if (!beside.owner().to.empty()) gap.owner.to = beside.owner().to;
    gaps_.push_back(std::move(gap));
  }

  // Whether its path has never changed: then the numbers of its hops are those of their places.
  bool has_one_generation(std::uint16_t leg) const {
    std::optional<Generation> one;
    for (const FoundHop& hop : call_) {
      if (hop.hop.key.leg != leg || !is_in_switch(hop)) continue;
      if (one && *one != hop.hop.key.generation) return false;
      one = hop.hop.key.generation;
    }
    return one.has_value();
  }

  bool is_known(const HopKey& key) const {
    return std::ranges::any_of(call_, [&](const FoundHop& hop) { return hop.hop.key == key; });
  }

  // Whether the endpoint is connected to the switch; nullopt: not known.
  std::optional<bool> is_at(const std::string& end, SwitchIndex at) const {
    const auto where = ends_ && !end.empty() ? ends_(end) : std::nullopt;
    return where ? std::optional{*where == at} : std::nullopt;
  }
  // Whether the leg of that hop enters, or leaves, the network at the switch.
  std::optional<bool> enters_at(SwitchIndex at, std::uint16_t leg, const FoundHop& hop) const {
    return is_at(leg == 1 ? hop.owner().to : hop.owner().from, at);
  }
  std::optional<bool> leaves_at(SwitchIndex at, std::uint16_t leg, const FoundHop& hop) const {
    return is_at(leg == 1 ? hop.owner().from : hop.owner().to, at);
  }

  // Number and count say whether the hop is the first or the last one of its leg. Returns whether
  // its number cannot be that which it had.
  bool place(LedgerHop& claim, SwitchIndex at, const FoundHop* from, const FoundHop* to) const {
    bool moved = false;
    if (from != nullptr) {
      claim.key.hop = static_cast<std::uint16_t>(from->hop.key.hop + 1);
      claim.hop_count = from->hop.hop_count;
    } else {
      const bool forks = to->hop.key.hop == 0;  // a branch; the hop before it is one of leg 0
      if (forks) claim.key.leg = 0;
      const auto number = static_cast<std::uint16_t>(forks ? 0 : to->hop.key.hop - 1);
      claim.hop_count = forks ? 2 : to->hop.hop_count;
      // After a re-route it may be numbered by a path of another length.
      const bool begins_elsewhere = !forks && std::ranges::any_of(call_, [&](const FoundHop& hop) {
        return hop.carries() && hop.hop.key.leg == claim.key.leg && hop.hop.key.hop == 0;
      });
      bool first = number == 0 && !begins_elsewhere;
      if (claim.key.leg < 2) {
        first = enters_at(at, claim.key.leg, *to).value_or(first) && !begins_elsewhere;
      }
      claim.key.hop = first ? 0 : std::max<std::uint16_t>(number, 1);
      moved = claim.key.hop != number;
      claim.branch = claim.key.hop == 0 && claim.key.leg >= 2;
      claim.enters = claim.key.hop == 0 && !claim.branch;
    }
    const auto leaves =
        to == nullptr ? leaves_at(at, claim.key.leg, *from) : std::optional<bool>{false};
    const bool goes_on =
        !leaves.value_or(true) || std::ranges::any_of(call_, [&](const FoundHop& hop) {
          return hop.carries() && hop.hop.key.leg == claim.key.leg && hop.last();
        });
    const auto needed = static_cast<std::uint16_t>(claim.key.hop + (goes_on ? 2 : 1));
    const bool ends = leaves == true && !goes_on;
    if (claim.hop_count < needed || ends) claim.hop_count = needed;
    return moved;
  }

  // Far from both ends of a call that has moved, the numbers of two paths may meet at two switches:
  // then neither hop is where its number says. At one switch it is one hop.
  void part_equal_keys() {
    if (planted(Bug::kRebuiltOldGeneration)) return;
    std::map<HopKey, std::set<SwitchIndex>> claims;
    for (const Gap& gap : gaps_) claims[gap.claim.key].insert(gap.at());
    for (Gap& gap : gaps_) {
      if (claims[gap.claim.key].size() > 1) gap.claim.key.generation = Generation{++newest_};
    }
  }

  // Of a tree whose first destination was dropped, branches alone are left where cells enter the
  // network: one of them counts (LedgerHop::enters). Where anything of the trunk is known, the call
  // enters with the trunk.
  void let_one_enter() {
    const bool begins = std::ranges::any_of(call_, [](const FoundHop& hop) {
      const bool trunk = hop.hop.key.leg == 0 && hop.carries();
      return is_in_switch(hop) && (trunk || (hop.hop.key.leg != 1 && hop.begins()));
    });
    const auto is_first = [&](const Gap& gap) {
      return gap.claim.key.leg != 1 && gap.claim.key.hop == 0 && !gap.in &&
             is_at(gap.owner.from, gap.at()).value_or(true);
    };
    const bool trunk = std::ranges::any_of(gaps_, [&](const Gap& gap) {
      return gap.claim.key.leg == 0 || (is_first(gap) && gap.claim.enters);
    });
    if (begins || trunk) return;
    const auto one = std::ranges::find_if(gaps_, is_first);
    if (one == gaps_.end()) return;
    one->waits_for_caller = ends_ && !is_at(one->owner.from, one->at());
    one->claim.enters = !one->waits_for_caller;
  }

  const std::vector<FoundHop>& call_;
  const KnownLinks& links_;
  const std::function<bool(SwitchIndex)>& lost_;
  const EndsAt& ends_;
  std::uint32_t newest_;  // generation
  Ends ins_;
  Ends outs_;
  std::set<GapEnd> paired_;
  std::vector<Gap> gaps_;
};

}  // namespace

std::vector<Gap> gaps_of(const std::vector<FoundHop>& call, const KnownLinks& links,
                         const std::function<bool(SwitchIndex)>& lost, Generation asked,
                         const EndsAt& ends) {
  return Gaps(call, links, lost, asked, ends).found();
}

const FoundHop* owned_hop(const std::vector<FoundHop>& call) {
  const FoundHop* first = nullptr;
  const FoundHop* last = nullptr;
  const FoundHop* any = nullptr;
  const bool carries = std::ranges::any_of(call, &FoundHop::carries);
  // Of a move that has failed, a hop may be left that has not heard who has the connection.
  const auto is_newer = [](const FoundHop* one, const FoundHop& other) {
    return one == nullptr || other.hop.revision > one->hop.revision;
  };
  for (const FoundHop& hop : call) {
    if (hop.owner().client.empty() || (carries && !hop.carries())) continue;
    const std::uint16_t leg = hop.hop.key.leg;
    const auto comes_before = [&](const FoundHop* one) {
      const bool same = one != nullptr && leg == one->hop.key.leg;
      return same ? is_newer(one, hop) : one == nullptr || leg < one->hop.key.leg;
    };
    if (comes_before(any)) any = &hop;
    if (hop.begins() && leg != 1 && is_newer(first, hop)) first = &hop;
    if (hop.last() && leg != 1 && comes_before(last)) last = &hop;
  }
  if (first == nullptr || last == nullptr) {
    const FoundHop* const one = first != nullptr ? first : last;
    return one != nullptr ? one : any;
  }
  const bool newer = last->hop.revision > first->hop.revision;
  return newer && last->hop.shown_id != first->hop.shown_id ? last : first;
}

}  // namespace xbind::cmgr
