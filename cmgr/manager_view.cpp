#include "cmgr/manager_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/finding_set.hpp"

namespace xbind::cmgr {
namespace {

std::string hop_words(const HopKey& key) {
  return fmt::format("connection {} generation {} leg {} hop {}", key.connection, key.generation,
                     key.leg, key.hop);
}

std::string cross_connect_words(const CrossConnect& cross_connect) {
  return fmt::format("{}:{} -> {}:{}", cross_connect.input_port,
                     to_string(cross_connect.input_label), cross_connect.output_port,
                     to_string(cross_connect.output_label));
}

using HopMap = std::map<HopKey, const LedgerHop*>;

Finding stray_hop(const std::string& switch_name, const LedgerHop& hop) {
  return {FindingKind::kStrayHop,
          fmt::format("{} port {}", switch_name, hop.cross_connect.output_port),
          fmt::format("{} ({}) is in the ledger but not in the manager's table", hop_words(hop.key),
                      cross_connect_words(hop.cross_connect))};
}

Finding leaked_label(const std::string& switch_name, PortId port, Label label,
                     std::string_view where) {
  return {FindingKind::kLeakedLabel, fmt::format("{} port {}", switch_name, port),
          fmt::format("label {} is {} in the ledger under the manager's name, but the manager does "
                      "not have it",
                      to_string(label), where)};
}

HopMap by_key(const std::vector<LedgerHop>& hops) {
  HopMap map;
  for (const LedgerHop& hop : hops) map.emplace(hop.key, &hop);
  return map;
}

void compare_hops(const std::string& switch_name, const HopMap& before, const LedgerReport& report,
                  const HopMap& after, const std::set<HopKey>& owed,
                  std::vector<Finding>& findings) {
  const HopMap ledger = by_key(report.hops);
  for (const LedgerHop& theirs : report.hops) {
    if (owed.contains(theirs.key)) continue;
    const std::string element =
        fmt::format("{} port {}", switch_name, theirs.cross_connect.output_port);
    const auto was = before.find(theirs.key);
    const auto is = after.find(theirs.key);
    if (was == before.end() && is == after.end()) {
      findings.push_back(stray_hop(switch_name, theirs));
      // The port's books charge the hop as long as it is in the ledger.
      if (const std::uint64_t booked = theirs.demand.cells_per_s; booked != 0) {
        findings.push_back(
            {FindingKind::kLeakedBandwidth, element,
             fmt::format("{}, which is not in the manager's table, occupies {} cells/s",
                         hop_words(theirs.key), booked),
             booked});
      }
      continue;
    }
    if (was == before.end() || is == after.end()) continue;
    const LedgerHop& ours = *is->second;
    if (!theirs.settled || !ours.settled || *was->second != ours) continue;
    if (theirs.cross_connect != ours.cross_connect) {
      findings.push_back(
          {FindingKind::kChangedCrossConnect, element,
           fmt::format("{}: the ledger says {}, the manager {}", hop_words(theirs.key),
                       cross_connect_words(theirs.cross_connect),
                       cross_connect_words(ours.cross_connect))});
    }
    if (theirs.contract != ours.contract) {
      findings.push_back(
          {FindingKind::kChangedCrossConnect, element,
           fmt::format("{}: the ledger says {}, the manager {}", hop_words(theirs.key),
                       to_string(theirs.contract), to_string(ours.contract)),
           1, "contract of " + hop_words(theirs.key)});
    }
    if (theirs.demand != ours.demand) {
      const std::uint64_t high = std::max(theirs.demand.cells_per_s, ours.demand.cells_per_s);
      const std::uint64_t low = std::min(theirs.demand.cells_per_s, ours.demand.cells_per_s);
      const bool buffer = theirs.demand.buffer_cells != ours.demand.buffer_cells;
      findings.push_back(
          {FindingKind::kLeakedBandwidth, element,
           fmt::format("{}: the ledger says {}, the manager {}", hop_words(theirs.key),
                       demand_words(theirs.demand, buffer), demand_words(ours.demand, buffer)),
           high - low, "demand of " + hop_words(theirs.key)});
    }
  }
  for (const auto& [key, ours] : after) {
    const auto was = before.find(key);
    if (!ours->settled || was == before.end() || *was->second != *ours || ledger.contains(key)) {
      continue;
    }
    findings.push_back({FindingKind::kMissingHop,
                        fmt::format("{} port {}", switch_name, ours->cross_connect.output_port),
                        fmt::format("{} ({}) is in the manager's table but not in the ledger",
                                    hop_words(key), cross_connect_words(ours->cross_connect))});
  }
}

void compare_labels(const std::string& switch_name, const ManagerView& before,
                    const LedgerReport& report, const ManagerView& after,
                    std::vector<Finding>& findings) {
  const std::set<std::pair<PortId, Label>> was(before.labels.begin(), before.labels.end());
  const std::set<std::pair<PortId, Label>> is(after.labels.begin(), after.labels.end());
  const auto judge = [&](const std::vector<PortLabels>& ports, std::string_view where) {
    for (const PortLabels& port : ports) {
      for (const Label label : port.labels) {
        const std::pair key{port.port, label};
        if (was.contains(key) || is.contains(key)) continue;
        findings.push_back(leaked_label(switch_name, port.port, label, where));
      }
    }
  };
  judge(report.cached, "cached");
  judge(report.quarantined, "in quarantine");

  // The reverse check: every label in the manager's cache must be held for it in the ledger.
  std::set<std::pair<PortId, Label>> held;
  for (const auto* ports : {&report.cached, &report.quarantined}) {
    for (const PortLabels& port : *ports) {
      for (const Label label : port.labels) held.emplace(port.port, label);
    }
  }
  for (const LedgerHop& hop : report.hops) {
    held.emplace(hop.cross_connect.output_port, hop.cross_connect.output_label);
  }
  for (std::size_t i = 0; i < after.cached.size(); ++i) {
    const auto& [port, label] = after.cached[i];
    const bool throughout =
        std::binary_search(before.cached.begin(), before.cached.end(), after.cached[i]);
    const bool twice = i > 0 && after.cached[i - 1] == after.cached[i];
    if (!twice && (!throughout || held.contains(after.cached[i]))) continue;
    findings.push_back(
        {FindingKind::kDoubleLabel, fmt::format("{} port {}", switch_name, port),
         fmt::format(
             "label {} is {}", to_string(label),
             twice ? "twice in the manager's cache"
                   : "in the manager's cache, but the ledger has not granted it to this manager")});
  }
}

}  // namespace

std::string demand_words(const Resources& demand, bool with_buffer) {
  return with_buffer ? fmt::format("{} cells/s and {} cells of buffer", demand.cells_per_s,
                                   demand.buffer_cells)
                     : fmt::format("{} cells/s", demand.cells_per_s);
}

std::vector<Finding> compare(const std::string& switch_name, const ManagerView& before,
                             const LedgerReport& report, const ManagerView& after) {
  std::vector<Finding> findings = report.findings;
  std::set<HopKey> owed(before.owed.begin(), before.owed.end());
  owed.insert(after.owed.begin(), after.owed.end());
  compare_hops(switch_name, by_key(before.hops), report, by_key(after.hops), owed, findings);
  compare_labels(switch_name, before, report, after, findings);
  for (const HopKey& key : after.owed) {
    findings.push_back({FindingKind::kOwed, switch_name,
                        fmt::format("the removal of {} is owed", hop_words(key))});
  }
  return findings;
}

OwnRepairs repairs_of(const std::string& switch_name, const ManagerView& before,
                      const LedgerReport& report, const ManagerView& after,
                      const std::vector<Finding>& seen) {
  const FindingSet first(seen);
  FindingSet both;
  bool misses_hop = before.lacks_hops || after.lacks_hops;
  OwnRepairs repairs;
  for (const Finding& one : compare(switch_name, before, report, after)) {
    misses_hop = misses_hop || one.kind == FindingKind::kMissingHop;
    if (first.contains(one)) both.add(one);
  }
  for (const LedgerHop& hop : report.hops) {
    if (both.contains(stray_hop(switch_name, hop))) repairs.stray_hops.push_back(hop);
  }
  const auto choose = [&](const std::vector<PortLabels>& ports, std::string_view where) {
    for (const PortLabels& port : ports) {
      for (const Label label : port.labels) {
        if (!both.contains(leaked_label(switch_name, port.port, label, where))) continue;
        repairs.leaked_labels.emplace_back(port.port, label);
      }
    }
  };
  choose(report.cached, "cached");
  choose(report.quarantined, "in quarantine");
  for (const Finding& one : report.findings) {
    const bool stray = one.kind == FindingKind::kStrayCrossConnect ||
                       one.kind == FindingKind::kChangedCrossConnect;
    if (both.contains(one) && !(stray && misses_hop)) repairs.for_switch_server.push_back(one);
  }
  return repairs;
}

std::vector<Finding> seen_twice(const std::vector<Finding>& first, std::vector<Finding> second) {
  const FindingSet before(first);
  std::erase_if(second, [&](const Finding& finding) {
    return finding.kind != FindingKind::kOwed && finding.kind != FindingKind::kUnreadable &&
           !before.contains(finding);
  });
  return second;
}

}  // namespace xbind::cmgr
