// SwitchController: results, counters and audit reports.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/check.hpp"
#include "switchserver/ledger_audit.hpp"
#include "switchserver/switch_controller.hpp"
#include "switchserver/unclaimed_entries.hpp"

namespace xbind {

// ===== results =====

std::uint32_t SwitchController::open_batch(ManagerIndex manager, Token token,
                                           std::size_t commands) {
  if (vacant_batches_.empty()) {
    batches_.emplace_back();
    vacant_batches_.push_back(static_cast<std::uint32_t>(batches_.size() - 1));
  }
  const std::uint32_t index = vacant_batches_.back();
  vacant_batches_.pop_back();
  Batch& batch = batches_[index];
  batch.manager = manager;
  batch.wanted = true;
  batch.token = token;
  batch.missing = commands + 1;
  batch.out.results.resize(commands);
  batch.times = {now_, kNever, kNever};
  fresh_batches_.push_back(index);
  ++open_batches_;
  return index;
}

void SwitchController::answer(Place place, const HopResult& result) {
  if (result.cause != Cause::kNone) ++counters_.refusals[static_cast<std::size_t>(result.cause)];
  Batch& batch = batches_[place.batch];
  batch.out.results[place.position] = result;
  if (traces_.may_want(result, now_ - batch.times.applied, batch.traced)) [[unlikely]] {
    traces_.note(batch, result, now_);
  }
  close_one(place.batch);
}

void SwitchController::close_one(std::uint32_t index) {
  Batch& batch = batches_[index];
  XB_CHECK(batch.missing != 0, index);
  if (--batch.missing != 0) return;
  --open_batches_;
  vacant_batches_.push_back(index);
  if (!batch.traced.empty()) batch.traced.clear();
  if (!batch.wanted) {
    batch.out = {};
    batch.traces.clear();
    return;
  }
  batch.times.answered = now_;
  outputs_.results.push_back({ledger_.managers().name(batch.manager), batch.token,
                              std::exchange(batch.out, {}), batch.times,
                              std::exchange(batch.traces, {})});
}

void SwitchController::wait(std::uint32_t& head, Place place) {
  if (vacant_waiters_.empty()) {
    waiters_.emplace_back();
    vacant_waiters_.push_back(static_cast<std::uint32_t>(waiters_.size() - 1));
  }
  const std::uint32_t index = vacant_waiters_.back();
  vacant_waiters_.pop_back();
  waiters_[index] = {place.batch, place.position, head};
  head = index;
}

void SwitchController::answer_all(std::uint32_t& head, const HopResult& result) {
  while (head != kNil) {
    const Waiter waiter = waiters_[head];
    vacant_waiters_.push_back(head);
    head = waiter.next;
    answer({waiter.batch, waiter.position}, result);
  }
}

// The waiters in `more` wait for the same answer.
void SwitchController::join(std::uint32_t& head, std::uint32_t more) {
  std::uint32_t* end = &head;
  while (*end != kNil) end = &waiters_[*end].next;
  *end = more;
}

bool SwitchController::anybody_waits(std::uint32_t head) const {
  for (; head != kNil; head = waiters_[head].next) {
    if (batches_[waiters_[head].batch].wanted) return true;
  }
  return false;
}

void SwitchController::take_outputs(TimePoint now, Outputs& outputs) {
  for (const std::uint32_t fresh : fresh_batches_) batches_[fresh].times.asked = now;
  fresh_batches_.clear();
  // Those that begin with this step stand last.
  for (auto rest = rests_.rbegin(); rest != rests_.rend() && rest->until == kNever; ++rest) {
    rest->until = now + options_.labels_rest;
  }
  for (Results& results : outputs_.results) {
    if (results.times.asked == kNever) results.times.asked = results.times.answered = now;
  }
  if (!recalls_.idle()) {
    for (const RecallDesk::Recall& recall : recalls_.take()) {
      outputs_.recalls.push_back({ledger_.managers().name(recall.manager), recall.what});
      ++counters_.recalls;
    }
  }
  outputs.results.clear();
  outputs.unasked.clear();
  outputs.audits.clear();
  outputs.looks.clear();
  outputs.recalls.clear();
  outputs.statistics.clear();
  std::swap(outputs, outputs_);
}

void SwitchController::flush() {
  if (std::exchange(queued_, false)) driver_.flush();
}

// ===== the switch's counters =====

Result<void> SwitchController::read_statistics(PortId port, Label label, Token token) {
  if (!up()) return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options_.name);
  if (!ledger_.ports().has(port)) {
    return fail(ErrorCode::kNotFound, "{} has no port {}", options_.name, port);
  }
  if (statistics_.size() >= kStatisticsMax) {
    return fail(ErrorCode::kExhausted, "{} readings of counters are open at {}", statistics_.size(),
                options_.name);
  }
  const driver::Cookie cookie =
      ++statistics_asked_ << 2 | static_cast<driver::Cookie>(Request::kStatistics);
  statistics_.emplace(cookie, token);
  driver_.read_statistics(port, label, cookie);
  queued_ = true;
  flush();
  return {};
}

void SwitchController::on_counted(const driver::Statistics& counted) {
  const auto asked = statistics_.extract(counted.cookie);
  if (asked.empty()) {
    ++counters_.unexpected_answers;
    return;
  }
  outputs_.statistics.push_back(
      {asked.mapped(), counted.cause, counted.failure_code, counted.absent, counted.counters});
}

// ===== hops for their manager =====

LedgerHop SwitchController::describe(HopRef ref, const HopRecord& record, TimePoint now,
                                     OwnerPlaces& places, std::vector<HopOwner>& owners) const {
  LedgerHop hop;
  hop.owner = kNoOwner;
  if (const std::uint32_t number = record.owner(); number != kNoOwner) {
    const auto [owner, fresh] =
        places.try_emplace(number, static_cast<std::uint32_t>(owners.size()));
    if (fresh) owners.push_back(ledger_.hops().owner_of(record));
    hop.owner = owner->second;
  }
  hop.key = record.key;
  hop.cross_connect = ledger_.hops().cross_connect(record);
  hop.demand = record.demand;
  hop.settled = record.settled();
  hop.contract = record.contract();
  // Of a change under way, what nothing can refuse: its manager may be another one by now.
  if (const auto open = changes_.find(ref); open != changes_.end()) {
    const Change& change = open->second;
    hop.demand = change.refusable ? change.had : change.wanted.demand;
    hop.contract = change.refusable ? change.had_contract : change.wanted.contract;
  }
  hop.held = record.held;
  if (record.held && ledger_.extras().hold_end(ref) != kNever) {
    hop.hold_left = std::max(ledger_.extras().hold_end(ref) - now, Duration::zero());
  }
  hop.hop_count = record.hop_count;
  hop.request = record.request;
  hop.stage = record.stage();
  hop.branch = record.branch;
  hop.bidirectional = record.bidirectional;
  hop.superseded = ledger_.stacks().superseded(ref);
  hop.revision = ledger_.extras().revision(ref);
  hop.shown_id = ledger_.extras().shown_id(ref);
  hop.enters = ledger_.extras().ingress(ref).has_value();
  return hop;
}

HeldHops SwitchController::held_hops(std::string_view name, std::uint64_t from, std::size_t most,
                                     TimePoint now, std::vector<std::uint64_t>* places) const {
  HeldHops held;
  const auto manager = ledger_.managers().find(name);
  if (!manager || most == 0) return held;
  if (from >= kUncertainFrom) return uncertain_hops(*manager, from, most, places);
  OwnerPlaces owners;
  std::size_t looked_at = 0;
  held.next = ledger_.hops().visit(from, [&](HopRef ref, const HopRecord& record) {
    if (record.manager == *manager) {
      LedgerHop hop = describe(ref, record, now, owners, held.owners);
      // Its next manager sends it again, here or to one that has lost its ledger by then.
      hop.settled = record.state() == HopFsm::State::kSet;
      held.hops.push_back(std::move(hop));
      if (places != nullptr) places->push_back(std::uint64_t{ref.value()} + 1);
    }
    return held.hops.size() < most && ++looked_at < kLookedAtPerPage;
  });
  if (held.next == 0 && uncertain_of(*manager) != 0) held.next = kUncertainFrom;
  return held;
}

std::size_t SwitchController::uncertain_of(ManagerIndex manager) const {
  return static_cast<std::size_t>(
      std::count_if(uncertain_.begin(), uncertain_.end(),
                    [&](const auto& entry) { return entry.first.first == manager; }));
}

// The manager that claimed them may have ended since: the next one has to repeat their removal.
HeldHops SwitchController::uncertain_hops(ManagerIndex manager, std::uint64_t from,
                                          std::size_t most,
                                          std::vector<std::uint64_t>* places) const {
  HeldHops held;
  std::uint64_t at = kUncertainFrom;
  for (const auto& [whose, hop] : uncertain_) {
    if (whose.first != manager || at++ < from) continue;
    if (held.hops.size() == most) {
      held.next = at - 1;
      break;
    }
    held.hops.push_back(hop);
    held.hops.back().owner = kNoOwner;
    if (places != nullptr) places->push_back(at);
  }
  return held;
}

// ===== audit =====

Result<void> SwitchController::audit(std::string_view name, Token token) {
  const auto manager = ledger_.managers().find(name);
  if (!manager) return fail(ErrorCode::kNotFound, "no manager {} is known", name);
  Audit audit{0, *manager, token, ledger_.hops().clock()};
  if (!up()) {
    report(audit, nullptr);
    return {};
  }
  if (audits_.size() >= options_.open_audits_max) {
    return fail(ErrorCode::kExhausted, "{} audits are open at {}", audits_.size(), options_.name);
  }
  ask_for_table(std::move(audit));
  return {};
}

void SwitchController::ask_for_table(Audit audit) {
  audit.cookie = ++tables_asked_ << 2 | static_cast<driver::Cookie>(Request::kTable);
  driver_.read_table(audit.cookie);
  audits_.push_back(std::move(audit));
  queued_ = true;
  flush();
}

void SwitchController::report(const Audit& audit, const std::vector<CrossConnect>* table) {
  LedgerReport report;
  OwnerPlaces owners;
  TableExpectation expected;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager == audit.manager) {
      report.hops.push_back(describe(ref, record, now_, owners, report.owners));
    }
    expect(ledger_, ref, audit.since, expected);
  });
  std::sort(report.hops.begin(), report.hops.end(),
            [](const LedgerHop& a, const LedgerHop& b) { return a.key < b.key; });
  for (const Ended& ended : ended_) {
    if (ended.clock > audit.since) expected.moving.push_back(ended.cross_connect);
  }

  report.findings = ledger_.self_check(options_.name);
  std::vector<TableDifference> differences;
  if (table == nullptr) {
    report.findings.push_back(
        {FindingKind::kUnreadable, options_.name, "the switch's table could not be read", 1});
  } else if (ended_overflow_) {
    report.findings.push_back(
        {FindingKind::kUnreadable, options_.name,
         "too many hops were removed while the switch's table was read; repeat the audit", 1});
  } else {
    for (const CrossConnect& entry : unclaimed_) {
      if (settling_.unsure()) expected.moving.push_back(entry);
    }
    if (settling_.unsure() && !unclaimed_.empty()) {
      report.findings.push_back(
          {FindingKind::kUnreadable, options_.name,
           fmt::format("{} cross-connects may still be claimed: not every manager has claimed all",
                       unclaimed_.size()),
           1, "claims"});
    }
    if (drop_absent(*table, unclaimed_)) block_entries(unclaimed_, ledger_);
    differences = differences_of(options_.name, *table, std::move(expected));
  }
  if (audit.repairs) report.repaired = act(audit.seen, report.findings, differences);
  for (TableDifference& one : differences) report.findings.push_back(std::move(one.finding));
  if (table != nullptr) report.cross_connects = table->size();
  report.cached = ledger_.labels().list(LabelHolder::kCached, audit.manager);
  report.quarantined = ledger_.labels().list(LabelHolder::kQuarantine, audit.manager);
  ++counters_.audits;
  const bool of_manager = audit.manager != kNoManager;
  outputs_.audits.push_back({of_manager ? ledger_.managers().name(audit.manager) : std::string{},
                             audit.token, std::move(report)});
}

}  // namespace xbind
