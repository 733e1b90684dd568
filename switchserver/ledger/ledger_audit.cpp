#include "switchserver/ledger/ledger_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "switchserver/ledger/ledger.hpp"

namespace xbind {
namespace {

using Input = std::pair<PortId, Label>;

Input input_of(const CrossConnect& at) { return {at.input_port, at.input_label}; }

// The end of the run of equal inputs that starts at `begin`. The vector must be sorted.
std::vector<CrossConnect>::const_iterator run_end(std::vector<CrossConnect>::const_iterator begin,
                                                  std::vector<CrossConnect>::const_iterator end) {
  const Input input = input_of(*begin);
  return std::find_if(begin, end, [&](const CrossConnect& at) { return input_of(at) != input; });
}

}  // namespace

// ===== switch against ledger =====

std::vector<Finding> compare_table(std::string_view switch_name, std::vector<CrossConnect> table,
                                   TableExpectation expected) {
  std::vector<Finding> findings;
  for (TableDifference& one : differences_of(switch_name, std::move(table), std::move(expected))) {
    findings.push_back(std::move(one.finding));
  }
  return findings;
}

void expect(const Ledger& ledger, HopRef ref, std::uint64_t since, TableExpectation& expected) {
  const HopRecord& record = ledger.hops().hop(ref);
  if (record.stage() == HopStage::kReserved) return;
  if (ledger.stacks().superseded(ref) && record.version <= since) return;
  const bool throughout =
      record.settled() && !ledger.stacks().above(ref) && record.version <= since;
  (throughout ? expected.settled : expected.moving).push_back(ledger.hops().cross_connect(record));
}

std::vector<TableDifference> differences_of(std::string_view switch_name,
                                            std::vector<CrossConnect> table,
                                            TableExpectation expected) {
  std::vector<TableDifference> found;
  const auto find = [&](FindingKind kind, const std::optional<CrossConnect>& extra,
                        const std::optional<CrossConnect>& missing, bool shared = true) {
    found.push_back({finding_of(switch_name, {kind, extra, missing}, shared), extra, missing});
  };
  std::sort(table.begin(), table.end());
  table.erase(std::unique(table.begin(), table.end()), table.end());
  std::sort(expected.settled.begin(), expected.settled.end());
  std::sort(expected.moving.begin(), expected.moving.end());
  const auto by_input = [](const CrossConnect& a, const CrossConnect& b) {
    return input_of(a) < input_of(b);
  };
  const auto is_moving = [&](const CrossConnect& at) {
    return std::binary_search(expected.moving.begin(), expected.moving.end(), at, by_input);
  };

  std::vector<CrossConnect> missing;  // of one input
  std::vector<CrossConnect> extra;
  auto wanted = expected.settled.cbegin();
  const auto wanted_end = expected.settled.cend();
  for (auto there = table.cbegin(); there != table.cend() || wanted != wanted_end;) {
    const bool in_table =
        there != table.cend() && (wanted == wanted_end || !by_input(*wanted, *there));
    const bool known = wanted != wanted_end && (!in_table || !by_input(*there, *wanted));
    const CrossConnect& input = in_table ? *there : *wanted;
    const auto there_end = in_table ? run_end(there, table.cend()) : there;
    const auto known_end = known ? run_end(wanted, wanted_end) : wanted;
    missing.clear();
    extra.clear();
    std::set_difference(wanted, known_end, there, there_end, std::back_inserter(missing));
    if (!is_moving(input)) {
      std::set_difference(there, there_end, wanted, known_end, std::back_inserter(extra));
    }
    const std::size_t changed = std::min(missing.size(), extra.size());
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (i < changed) {
        find(FindingKind::kChangedCrossConnect, extra[i], missing[i]);
      } else {
        find(FindingKind::kMissingCrossConnect, std::nullopt, missing[i]);
      }
    }
    for (std::size_t i = changed; i < extra.size(); ++i) {
      find(FindingKind::kStrayCrossConnect, extra[i], std::nullopt, known);
    }
    there = there_end;
    wanted = known_end;
  }
  return found;
}

}  // namespace xbind
