#include "cmgr/call_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cmgr/manager_view.hpp"
#include "core/finding_set.hpp"

namespace xbind::cmgr {
namespace {

bool is_unknown(FindingKind kind) { return kind == FindingKind::kUnreadable; }

std::string_view stage_word(HopStage stage) {
  switch (stage) {
    case HopStage::kReserved: return "reserved";
    case HopStage::kCommitting: return "committing";
    case HopStage::kCommitted: return "committed";
    case HopStage::kRemoving: return "removing";
  }
  return "unknown";
}

bool same_input(const CrossConnect& a, const CrossConnect& b) {
  return a.input_port == b.input_port && a.input_label == b.input_label;
}

bool same_input(const EntryDifference& difference, const CrossConnect& at) {
  return same_input(difference.extra ? *difference.extra : *difference.missing, at);
}

// Compares one switch.
class SwitchComparison {
 public:
  SwitchComparison(const CallView& view, const std::string& name, const CallAtSwitch& there)
      : view_(view), name_(name), there_(there) {}

  std::vector<HopFinding> run() {
    for (const CallView::Place& place : view_.hops) {
      if (place.switch_name == name_) judge(place);
    }
    for (const LedgerHop& hop : there_.hops) {
      if (!is_ours(hop.key)) stray(hop);
    }
    for (const EntryDifference& difference : there_.differences) {
      const bool shared = std::ranges::any_of(there_.hops, [&](const LedgerHop& hop) {
        return same_input(difference, hop.cross_connect);
      });
      note(place_of(difference), finding_of(name_, difference, shared)).difference = difference;
    }
    return std::move(findings_);
  }

 private:
  using Number = std::pair<std::uint16_t, std::uint16_t>;  // leg and hop

  HopFinding& note(Number at, Finding what) {
    return findings_.emplace_back(HopFinding{at.first, at.second, std::move(what)});
  }
  void note(const CallView::Place& place, FindingKind kind, std::string text,
            std::uint64_t amount = 1) {
    note({place.hop.key.leg, place.number},
         {kind, port_element(name_, place.hop.cross_connect.output_port), std::move(text), amount});
  }

  bool is_ours(const HopKey& key) const {
    const auto here = [&](const CallView::Place& place) {
      return place.switch_name == name_ && place.hop.key == key;
    };
    return std::ranges::any_of(view_.hops, here) ||
           std::ranges::find(view_.owed, key) != view_.owed.end();
  }

  void judge(const CallView::Place& place) {
    if (!there_.unreadable.empty()) note(place, FindingKind::kUnreadable, there_.unreadable);
    const LedgerHop& ours = place.hop;
    const auto found = std::ranges::find(there_.hops, ours.key, &LedgerHop::key);
    if (found == there_.hops.end()) {
      return note(place, FindingKind::kMissingHop,
                  fmt::format("{} is in the manager's table but not in the ledger",
                              to_string(ours.cross_connect)));
    }
    const LedgerHop& theirs = *found;
    if (std::ranges::find(view_.owed, ours.key) != view_.owed.end()) return;
    if (theirs.stage != ours.stage) {
      return note(
          place, FindingKind::kMissingHop,
          fmt::format("{} is {} in the ledger, {} for the manager", to_string(ours.cross_connect),
                      stage_word(theirs.stage), stage_word(ours.stage)));
    }
    const bool up = ours.stage == HopStage::kCommitted;
    if (up && !theirs.settled) return;  // its command is still on the way to the switch
    if (up && theirs.cross_connect != ours.cross_connect) {
      note(place, FindingKind::kChangedCrossConnect,
           fmt::format("the ledger has {}, the manager {}", to_string(theirs.cross_connect),
                       to_string(ours.cross_connect)));
    }
    if (theirs.contract != ours.contract) {
      note(place, FindingKind::kChangedCrossConnect,
           fmt::format("the ledger has {}, the manager {}", to_string(theirs.contract),
                       to_string(ours.contract)));
    }
    if (theirs.demand != ours.demand) {
      const auto [low, high] = std::minmax(theirs.demand.cells_per_s, ours.demand.cells_per_s);
      note(place, FindingKind::kLeakedBandwidth,
           fmt::format("the ledger has {}, the manager {}", demand_words(theirs.demand, true),
                       demand_words(ours.demand, true)),
           high - low);
    }
  }

  void stray(const LedgerHop& hop) {
    HopFinding& found =
        note({hop.key.leg, hop.key.hop},
             {FindingKind::kStrayHop, port_element(name_, hop.cross_connect.output_port),
              fmt::format("{} of generation {} is in the ledger but not in the manager's table",
                          to_string(hop.cross_connect), hop.key.generation),
              1});
    found.stray = hop;
  }

  // The hop that the difference is about: that with its ledger entry, else one with its input.
  Number place_of(const EntryDifference& difference) const {
    const CallView::Place* best = nullptr;
    for (const CallView::Place& place : view_.hops) {
      if (place.switch_name != name_) continue;
      if (difference.missing && place.hop.cross_connect == *difference.missing) {
        return {place.hop.key.leg, place.number};
      }
      if (best == nullptr && same_input(difference, place.hop.cross_connect)) best = &place;
    }
    if (best != nullptr) return {best->hop.key.leg, best->number};
    const auto hop = std::ranges::find_if(there_.hops, [&](const LedgerHop& one) {
      return same_input(difference, one.cross_connect);
    });
    return hop == there_.hops.end() ? Number{} : Number{hop->key.leg, hop->key.hop};
  }

  const CallView& view_;
  const std::string& name_;
  const CallAtSwitch& there_;
  std::vector<HopFinding> findings_;
};

class HopFindingSet {
 public:
  explicit HopFindingSet(const std::vector<HopFinding>& findings) {
    for (const HopFinding& one : findings) by_hop_[{one.leg, one.number}].add(one.what);
  }
  bool contains(const HopFinding& one) const {
    const auto hop = by_hop_.find({one.leg, one.number});
    return hop != by_hop_.end() && hop->second.contains(one.what);
  }

 private:
  std::map<std::pair<std::uint16_t, std::uint16_t>, FindingSet> by_hop_;
};

}  // namespace

std::vector<std::string> switches_of(const CallView& view) {
  std::vector<std::string> names;
  for (const CallView::Place& place : view.hops) {
    if (std::ranges::find(names, place.switch_name) == names.end()) {
      names.push_back(place.switch_name);
    }
  }
  return names;
}

CallQuestion question_about(const CallView& view, const std::string& switch_name) {
  CallQuestion question{view.id, {}, {}};
  for (const CallView::Place& place : view.hops) {
    if (place.switch_name != switch_name) continue;
    const std::uint16_t leg = place.hop.key.leg;
    const bool asked = leg <= 1 || std::ranges::find(question.legs, leg) != question.legs.end();
    if (!asked && question.legs.size() < kCallLegsMax) question.legs.push_back(leg);
    if (!place.hop.cross_connect.input_label.present()) continue;
    const bool known = std::ranges::any_of(question.inputs, [&](const CrossConnect& at) {
      return same_input(at, place.hop.cross_connect);
    });
    if (!known) question.inputs.push_back(place.hop.cross_connect);
  }
  return question;
}

CallCheck compare(const CallView& before, const CallLooks& looks, const CallView& after) {
  CallCheck check;
  check.settled = after.settled && before == after;
  for (const std::string& name : switches_of(after)) {
    SwitchCheck& one = check.switches.emplace_back();
    one.switch_name = name;
    const auto look = looks.find(name);
    if (look == looks.end()) continue;  // the path has changed
    if (look->second) {
      one.there = *look->second;
      if (check.settled) one.findings = SwitchComparison(after, name, one.there).run();
      continue;
    }
    one.unreachable = look->second.error().text;
    for (const CallView::Place& place : after.hops) {
      if (place.switch_name != name) continue;
      one.findings.push_back(
          {place.hop.key.leg, place.number, {FindingKind::kUnreadable, name, one.unreachable, 1}});
    }
  }
  return check;
}

bool is_doubtful(const CallCheck& check) {
  return std::ranges::any_of(check.switches, [](const SwitchCheck& one) {
    return std::ranges::any_of(
        one.findings, [](const HopFinding& finding) { return !is_unknown(finding.what.kind); });
  });
}

CallCheck seen_twice(const CallCheck& first, CallCheck second) {
  for (SwitchCheck& now : second.switches) {
    const auto was = std::ranges::find(first.switches, now.switch_name, &SwitchCheck::switch_name);
    const HopFindingSet before(was == first.switches.end() ? std::vector<HopFinding>{}
                                                           : was->findings);
    std::erase_if(now.findings, [&](const HopFinding& finding) {
      return !is_unknown(finding.what.kind) && !before.contains(finding);
    });
  }
  return second;
}

std::vector<CallRepairs> repairs_of(const CallCheck& check, const std::vector<HopFinding>& seen) {
  const HopFindingSet before(seen);
  std::vector<CallRepairs> all;
  if (!check.settled) return all;
  for (const SwitchCheck& one : check.switches) {
    CallRepairs repairs{one.switch_name, {}, {}};
    for (const HopFinding& finding : one.findings) {
      if (!before.contains(finding)) continue;
      if (finding.stray) repairs.stray_hops.push_back(*finding.stray);
      if (finding.difference) repairs.differences.push_back(*finding.difference);
    }
    if (!repairs.stray_hops.empty() || !repairs.differences.empty()) {
      all.push_back(std::move(repairs));
    }
  }
  return all;
}

}  // namespace xbind::cmgr
