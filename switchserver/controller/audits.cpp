#include "switchserver/controller/audits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/finding_set.hpp"
#include "switchserver/controller/hop_listing.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {
namespace {

bool is_of_books(FindingKind kind) {
  return kind == FindingKind::kLeakedLabel || kind == FindingKind::kDoubleLabel ||
         kind == FindingKind::kLeakedBandwidth;
}

}  // namespace

Result<void> Audits::audit(std::string_view name, Token token) {
  const auto manager = parts_.ledger.managers().find(name);
  if (!manager) return fail(ErrorCode::kNotFound, "no manager {} is known", name);
  Audit audit{0, *manager, token, parts_.ledger.hops().clock()};
  if (!parts_.link.up()) {
    report(audit, nullptr);
    return {};
  }
  return begin(std::move(audit));
}

Result<void> Audits::repair(std::vector<Finding> seen, Token token, TimePoint now) {
  parts_.now = now;
  if (!parts_.link.up()) {
    return fail(ErrorCode::kUnreachable, "the switch of {} is not up", parts_.options.name);
  }
  return begin({0, kNoManager, token, parts_.ledger.hops().clock(), true, std::move(seen)});
}

Result<void> Audits::begin(Audit audit) {
  if (open_.size() >= parts_.options.open_audits_max) {
    return fail(ErrorCode::kExhausted, "{} audits are open at {}", open_.size(),
                parts_.options.name);
  }
  audit.cookie = parts_.link.read_table();
  open_.push_back(std::move(audit));
  parts_.link.flush();
  return {};
}

bool Audits::take(const driver::Table& table) {
  const auto asked = std::ranges::find(open_, table.cookie, &Audit::cookie);
  if (asked == open_.end()) return false;
  const Audit audit = std::move(*asked);
  open_.erase(asked);
  report(audit, table.cause == Cause::kNone ? &table.cross_connects : nullptr);
  return true;
}

void Audits::switch_down() {
  for (const Audit& audit : std::exchange(open_, {})) report(audit, nullptr);
}

// `table`: null if it could not be read.
void Audits::report(const Audit& audit, const std::vector<CrossConnect>* table) {
  Ledger& ledger = parts_.ledger;
  const std::string& name = parts_.options.name;
  LedgerReport report;
  OwnerPlaces owners;
  TableExpectation expected;
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager == audit.manager) {
      report.hops.push_back(describe(parts_, ref, record, parts_.now, owners, report.owners));
    }
    expect(ledger, ref, audit.since, expected);
  });
  std::sort(report.hops.begin(), report.hops.end(),
            [](const LedgerHop& a, const LedgerHop& b) { return a.key < b.key; });

  report.findings = ledger.self_check(name);
  std::vector<TableDifference> differences;
  if (table == nullptr) {
    report.findings.push_back(
        {FindingKind::kUnreadable, name, "the switch's table could not be read", 1});
  } else if (parts_.ended.overflow()) {
    report.findings.push_back(
        {FindingKind::kUnreadable, name,
         "too many hops were removed while the switch's table was read; repeat the audit", 1});
  } else {
    differences = compare(audit, *table, std::move(expected), report);
  }
  if (audit.repairs) report.repaired = act(audit.seen, report.findings, differences);
  for (TableDifference& one : differences) report.findings.push_back(std::move(one.finding));
  if (table != nullptr) report.cross_connects = table->size();
  report.cached = ledger.labels().list(LabelHolder::kCached, audit.manager);
  report.quarantined = ledger.labels().list(LabelHolder::kQuarantine, audit.manager);
  ++parts_.counters.audits;
  const bool of_manager = audit.manager != kNoManager;
  parts_.outputs.audits.push_back(
      {of_manager ? ledger.managers().name(audit.manager) : std::string{}, audit.token,
       std::move(report)});
}

std::vector<TableDifference> Audits::compare(const Audit& audit,
                                             const std::vector<CrossConnect>& table,
                                             TableExpectation expected, LedgerReport& report) {
  const std::string& name = parts_.options.name;
  const std::vector<CrossConnect>& unclaimed = parts_.match.unclaimed();
  parts_.ended.append_since(audit.since, expected.moving);
  if (parts_.settling.unsure() && !unclaimed.empty()) {
    expected.moving.insert(expected.moving.end(), unclaimed.begin(), unclaimed.end());
    report.findings.push_back(
        {FindingKind::kUnreadable, name,
         fmt::format("{} cross-connects may still be claimed: not every manager has claimed all",
                     unclaimed.size()),
         1, "claims"});
  }
  parts_.match.drop_absent_from(table);
  return differences_of(name, table, std::move(expected));
}

// The second look has `found` these findings in the ledger and these differences in the switch.
// Repairs each that is also among `seen`, the findings of the first look; returns their number.
std::size_t Audits::act(const std::vector<Finding>& seen, const std::vector<Finding>& found,
                        const std::vector<TableDifference>& differences) {
  const FindingSet before(seen);
  std::size_t acted = 0;
  bool books = false;
  for (const Finding& one : found) {
    if (!before.contains(one)) continue;
    ++acted;
    books = books || is_of_books(one.kind);
  }
  if (books) {
    parts_.ledger.rebuild();
    ++parts_.counters.rebuilt;
  }
  for (const TableDifference& one : differences) {
    if (!before.contains(one.finding)) continue;
    if (parts_.repairs.repair(one.extra, one.missing)) ++acted;
  }
  parts_.link.flush();
  return acted;
}

}  // namespace xbind::controller
