// SwitchController: what an audit has found is repaired.
#include <algorithm>
#include <utility>

#include "core/finding_set.hpp"
#include "switchserver/ledger_audit.hpp"
#include "switchserver/switch_controller.hpp"
#include "switchserver/unclaimed_entries.hpp"

namespace xbind {
namespace {

bool is_of_books(FindingKind kind) {
  return kind == FindingKind::kLeakedLabel || kind == FindingKind::kDoubleLabel ||
         kind == FindingKind::kLeakedBandwidth;
}

}  // namespace

Result<void> SwitchController::repair(std::vector<Finding> seen, Token token, TimePoint now) {
  now_ = now;
  if (!up()) return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options_.name);
  if (audits_.size() >= options_.open_audits_max) {
    return fail(ErrorCode::kExhausted, "{} audits are open at {}", audits_.size(), options_.name);
  }
  Audit audit{0, kNoManager, token, ledger_.hops().clock(), true, std::move(seen)};
  ask_for_table(std::move(audit));
  return {};
}

// The second look has `found` these findings in the ledger and these differences in the switch.
// Repairs each that is also among `seen`, the findings of the first look; returns their number.
std::size_t SwitchController::act(const std::vector<Finding>& seen,
                                  const std::vector<Finding>& found,
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
    ledger_.rebuild();
    ++counters_.rebuilt;
  }
  for (const TableDifference& one : differences) {
    if (before.contains(one.finding) && repair(one.extra, one.missing)) ++acted;
  }
  flush();
  return acted;
}

// Removes what only the switch has; what the ledger has there is put back after that. Else puts
// back what only the ledger has. False: neither is possible.
bool SwitchController::repair(const std::optional<CrossConnect>& extra,
                              const std::optional<CrossConnect>& missing) {
  // A removal names the branch's output. A switch of version 1.1 does not report outputs.
  if (extra && extra->output_port == PortId{}) return false;
  if (extra) {
    remove_stray(*extra);
  } else if (missing) {
    put_back_on(*missing);
  }
  return true;
}

void SwitchController::remove_stray(const CrossConnect& entry) {
  const driver::Cookie cookie = ++tables_asked_ << 2 | static_cast<driver::Cookie>(Request::kTable);
  strays_.emplace(cookie, entry);
  driver_.remove(entry, cookie);
  queued_ = true;
}

void SwitchController::on_stray_removed(const driver::Done& done) {
  const auto found = strays_.extract(done.cookie);
  if (found.empty()) {
    ++counters_.unexpected_answers;
    return;
  }
  if (done.cause != Cause::kNone && !done.absent) return;  // the next audit names it again
  const CrossConnect gone = found.mapped();
  ++counters_.strays_removed;
  std::erase(unclaimed_, gone);
  block_entries(unclaimed_, ledger_);
  put_back_on(gone);
}

// Puts back the hops on that input that the switch may lack. It replaces an entry that is there.
void SwitchController::put_back_on(const CrossConnect& at) {
  std::vector<HopRef> lost;
  ledger_.users().for_each_on_input(at.input_port, at.input_label,
                                    [&](HopRef ref, const HopRecord& record) {
                                      if (record.settled() && !ledger_.stacks().above(ref))
                                        lost.push_back(ref);
                                    });
  for (const HopRef ref : lost) put_back(ref);
}

}  // namespace xbind
