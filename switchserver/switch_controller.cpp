#include "switchserver/switch_controller.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "switchserver/ledger_audit.hpp"

namespace xbind {
namespace {

HopResult refusal(const HopKey& key, HopAction action, Cause cause, std::uint64_t asked = 0) {
  HopResult result;
  result.key = key;
  result.action = action;
  result.cause = cause;
  result.asked = asked;
  return result;
}

// Done: with the labels that the manager does not know yet.
HopResult success(const HopRecord& record, HopAction action) {
  HopResult result;
  result.key = record.setup.key;
  result.action = action;
  if (action == HopAction::kCommit && record.setup.first()) {
    result.input_label = record.cross_connect.input_label;
  }
  // After a removal the manager must know what lies in its quarantine: a label that was granted in an
  // earlier session may be there or may have lapsed, and only the ledger knows.
  const bool told = action == HopAction::kReserve ||
                    (action == HopAction::kCommit ? record.setup.last() : !record.setup.last());
  if (told) result.output_label = record.cross_connect.output_label;
  return result;
}

HopAction action_of(const HopSetup& setup) {
  return setup.commit ? HopAction::kCommit : HopAction::kReserve;
}

}  // namespace

SwitchController::SwitchController(SwitchControllerOptions options, SwitchDriver& driver)
    : options_(std::move(options)), driver_(driver), ledger_(options_.ledger) {}

// ===== the switch comes and goes =====

void SwitchController::on_driver(const driver::Event& event, TimePoint now) {
  if (const auto* up = std::get_if<driver::Up>(&event)) {
    on_up(*up);
  } else if (std::holds_alternative<driver::Down>(event)) {
    on_down();
  } else if (const auto* done = std::get_if<driver::Done>(&event)) {
    on_done(*done);
  } else if (const auto* table = std::get_if<driver::Table>(&event)) {
    on_table(*table, now);
  }
  flush();
}

void SwitchController::on_time(TimePoint now) {
  if (now < reread_at_) return;
  read_table();
  flush();
}

void SwitchController::on_up(const driver::Up& up) {
  leave_up();
  if (!up.kept) ledger_.unblock_all();
  ledger_.set_ports(up.ports);
  if (up.kept) {
    state_ = State::kReading;
    read_table();
  } else {
    make_true({});
  }
}

void SwitchController::on_down() { leave_up(); }

void SwitchController::read_table() {
  reread_at_ = kNever;
  own_table_ = ++tables_asked_ << 2 | static_cast<driver::Cookie>(Request::kTable);
  driver_.read_table(own_table_);
  queued_ = true;
}

// The driver has answered everything before it says Down; should it not, this does.
void SwitchController::leave_up() {
  state_ = State::kDown;
  own_table_ = 0;
  reread_at_ = kNever;
  ledger_.for_each_hop([&](HopRef ref, HopRecord& record) {
    if (record.progress.add_open) on_added(ref, Cause::kSwitchUnreachable, 0);
    if (record.progress.remove_open) on_removed(ref, Cause::kSwitchUnreachable, 0);
    record.progress.remove_done = false;
    ++record.progress.ticket;
  });
  for (const Audit& audit : std::exchange(audits_, {})) report(audit, nullptr);
  ended_.clear();
  ended_overflow_ = false;
}

void SwitchController::on_table(const driver::Table& table, TimePoint now) {
  if (table.cookie == own_table_ && own_table_ != 0) {
    own_table_ = 0;
    if (table.cause == Cause::kNone) {
      make_true(table.cross_connects);
    } else {
      reread_at_ = now + options_.reread_after;
    }
    return;
  }
  const auto asked = std::find_if(audits_.begin(), audits_.end(),
                                  [&](const Audit& audit) { return audit.cookie == table.cookie; });
  if (asked == audits_.end()) {
    ++counters_.unexpected_answers;
    return;
  }
  const Audit audit = *asked;
  audits_.erase(asked);
  report(audit, table.cause == Cause::kNone ? &table.cross_connects : nullptr);
  if (audits_.empty()) {
    ended_.clear();
    ended_overflow_ = false;
  }
}

// Brings the switch, whose whole table this is, to what the ledger says.
void SwitchController::make_true(const std::vector<CrossConnect>& table) {
  state_ = State::kUp;
  std::vector<CrossConnect> there = table;
  std::sort(there.begin(), there.end());
  const auto on_input = [&](const CrossConnect& wanted) {
    const CrossConnect from{wanted.input_port, wanted.input_label, PortId{0}, Label{}};
    const auto found = std::lower_bound(there.begin(), there.end(), from);
    return found != there.end() && found->input_port == wanted.input_port &&
           found->input_label == wanted.input_label;
  };
  ledger_.for_each_hop([&](HopRef ref, HopRecord& record) {
    if (record.state == HopState::kCommitted) {
      // Something else on its input: an add would make a branch of it. That is for the audit to
      // say.
      if (!on_input(record.cross_connect)) put_back(ref);
    } else if (record.state == HopState::kRemoving) {
      if (std::binary_search(there.begin(), there.end(), record.cross_connect)) {
        ++counters_.cleaned;
        send_remove(ref);
      } else {
        finish_removal(ref);
      }
    }
  });
  ledger_.unblock_all();
  for (const CrossConnect& entry : there) {
    const auto place = ledger_.input_label(entry.input_port, entry.input_label);
    const bool claimed = place && place->holder == LabelHolder::kConnection &&
                         ledger_.hop(place->hop).cross_connect == entry;
    if (!claimed) ledger_.block(entry);
  }
}

// ===== answers of the switch =====

driver::Cookie SwitchController::cookie(HopRef ref, Request request) const {
  const std::uint64_t ticket = ledger_.hop(ref).progress.ticket;
  return ticket << 34 | std::uint64_t{ref.value()} << 2 | static_cast<driver::Cookie>(request);
}

void SwitchController::on_done(const driver::Done& done) {
  const auto ref = HopRef{static_cast<std::uint32_t>(done.cookie >> 2)};
  const auto request = static_cast<Request>(done.cookie & 3);
  HopRecord* const record = ledger_.find_hop(ref);
  const bool open = record != nullptr && done.cookie == cookie(ref, request) &&
                    (request == Request::kAdd      ? record->progress.add_open
                     : request == Request::kRemove ? record->progress.remove_open
                                                   : false);
  if (!open) {
    ++counters_.unexpected_answers;
  } else if (request == Request::kAdd) {
    on_added(ref, done.cause, done.failure_code);
  } else {
    on_removed(ref, done.cause, done.failure_code);
  }
}

void SwitchController::on_added(HopRef ref, Cause cause, std::uint8_t failure_code) {
  HopRecord& record = ledger_.hop(ref);
  HopRecord::Progress& progress = record.progress;
  const HopKey key = record.setup.key;
  progress.add_open = false;
  ledger_.touch(ref);

  if (record.state == HopState::kCommitted) {  // it had been put back
    if (cause == Cause::kSwitchRefused) ++counters_.put_back_refused;
    return;
  }
  std::uint32_t waiters = std::exchange(progress.commit_waiters, kNil);
  if (cause == Cause::kNone) {
    if (waiters != kNil) ++counters_.commits;  // nobody waits for what is put back
    answer_all(waiters, success(record, HopAction::kCommit));
    if (record.state == HopState::kCommitting) {
      ledger_.programmed(ref);
      return;
    }
  } else {
    answer_all(waiters, refusal(key, HopAction::kCommit, cause, failure_code));
    if (record.state == HopState::kCommitting && cause == Cause::kSwitchRefused) {
      note_end(record.cross_connect);
      ledger_.undo(ref);
      return;
    }
    if (record.state == HopState::kCommitting) {  // nobody knows whether it is there
      ledger_.begin_removal(ref);
      if (cause == Cause::kSwitchUnreachable) return;  // when the switch is back
      ++counters_.cleaned;
      send_remove(ref);
      return;
    }
  }
  // A removal came while the commit was on its way. The delete went out behind the add; if its
  // answer came first, this was the last one.
  if (progress.remove_done) finish_removal(ref);
}

void SwitchController::on_removed(HopRef ref, Cause cause, std::uint8_t failure_code) {
  HopRecord& record = ledger_.hop(ref);
  HopRecord::Progress& progress = record.progress;
  progress.remove_open = false;
  ledger_.touch(ref);
  if (cause != Cause::kNone) {  // still kRemoving: the next removal asks the switch again
    std::uint32_t waiters = std::exchange(progress.remove_waiters, kNil);
    answer_all(waiters, refusal(record.setup.key, HopAction::kRemove, cause, failure_code));
  } else if (progress.add_open) {
    progress.remove_done = true;
  } else {
    finish_removal(ref);
  }
}

void SwitchController::put_back(HopRef ref) {
  HopRecord& record = ledger_.hop(ref);
  record.progress.add_open = true;
  ledger_.touch(ref);
  ++counters_.put_back;
  driver_.add(record.cross_connect, cookie(ref, Request::kAdd));
  queued_ = true;
}

void SwitchController::send_remove(HopRef ref) {
  HopRecord& record = ledger_.hop(ref);
  record.progress.remove_open = true;
  driver_.remove(record.cross_connect, cookie(ref, Request::kRemove));
  queued_ = true;
}

void SwitchController::finish_removal(HopRef ref) {
  HopRecord& record = ledger_.hop(ref);
  XB_CHECK(!record.progress.add_open && !record.progress.remove_open &&
               record.progress.commit_waiters == kNil,
           ref, record.progress.add_open, record.progress.remove_open);
  std::uint32_t waiters = record.progress.remove_waiters;
  const HopResult done = success(record, HopAction::kRemove);
  const ManagerIndex manager = record.manager;
  const bool unasked = !anybody_waits(waiters) && sessions_[manager.value()].attached;
  note_end(record.cross_connect);
  ledger_.removed(ref);
  ++counters_.removes;
  if (unasked) outputs_.unasked.push_back({ledger_.manager_name(manager), done});
  answer_all(waiters, done);
}

void SwitchController::note_end(const CrossConnect& gone) {
  if (audits_.empty()) return;
  if (ended_.size() < kEndedMax) {
    ended_.push_back({gone, ledger_.clock() + 1});
  } else {
    ended_overflow_ = true;
  }
}

// ===== managers =====

Result<ManagerIndex> SwitchController::attached(std::string_view manager) const {
  const auto index = ledger_.find_manager(manager);
  if (!index || !sessions_[index->value()].attached) {
    return fail(ErrorCode::kNotFound, "manager {} is not attached", manager);
  }
  return *index;
}

Result<SwitchController::Attachment> SwitchController::attach(std::string_view manager,
                                                              Epoch epoch) {
  const auto index = ledger_.manager(manager);
  if (!index) return tl::make_unexpected(index.error());
  if (sessions_.size() <= index->value()) sessions_.resize(index->value() + std::size_t{1});
  Session& session = sessions_[index->value()];
  if (epoch < session.epoch) {
    ++counters_.fenced;
    return fail(ErrorCode::kFenced, "manager {} came with epoch {}, epoch {} has been here",
                manager, epoch, session.epoch);
  }
  if (session.attached) end_session(*index);
  session = {true, epoch};
  return Attachment{ledger_.ports(), ledger_.quarantined(*index), ledger_.hop_count(*index)};
}

void SwitchController::detach(std::string_view manager) {
  if (const auto index = attached(manager)) end_session(*index);
}

void SwitchController::end_session(ManagerIndex manager) {
  sessions_[manager.value()].attached = false;
  for (Batch& batch : batches_) {
    if (batch.manager == manager) batch.wanted = false;
  }
  ledger_.lapse(manager);
  ++counters_.lapses;
}

Result<void> SwitchController::forget(std::string_view manager) {
  const auto index = ledger_.find_manager(manager);
  if (!index) return fail(ErrorCode::kNotFound, "no manager {} is known", manager);
  if (sessions_[index->value()].attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  if (!ledger_.forget_manager(*index)) {
    return fail(ErrorCode::kBadInput, "manager {} still holds hops or labels ({} hops)", manager,
                ledger_.hop_count(*index));
  }
  sessions_[index->value()] = {};
  return {};
}

// ===== commands =====

Result<void> SwitchController::apply(std::string_view name, const HopBatch& batch, Token token,
                                     TimePoint now) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  ++counters_.batches;
  const bool room = open_batches_ < options_.open_batches_max;
  const std::uint32_t index = open_batch(*manager, token, batch.commands());
  wanted_.clear();

  Place place{index, 0};
  auto removal = batch.removals.begin();
  for (std::size_t applied = 0; applied <= batch.setups.size(); ++applied) {
    const bool rest = applied == batch.setups.size();
    for (; removal != batch.removals.end() && (rest || removal->after <= applied); ++removal) {
      if (room) {
        remove(place, *manager, removal->key);
      } else {
        answer(place, refusal(removal->key, HopAction::kRemove, Cause::kBusy, open_batches_));
      }
      ++place.position;
    }
    if (rest) break;
    const HopSetup& setup = batch.setups[applied];
    if (room) {
      set_up(place, *manager, setup);
    } else {
      answer(place, refusal(setup.key, action_of(setup), Cause::kBusy, open_batches_));
    }
    ++place.position;
  }
  for (const PortLabels& returned : batch.returned) take_back(*manager, returned);

  std::size_t left = options_.labels_per_grant_max;
  for (const Wanted& wanted : wanted_) {
    PortLabels granted{wanted.port, {}};
    ledger_.grant_labels(*manager, wanted.port, std::min(wanted.labels, left), granted.labels);
    left -= granted.labels.size();
    counters_.labels_granted += granted.labels.size();
    if (!granted.labels.empty()) batches_[index].out.granted.push_back(std::move(granted));
  }
  close_one(index);  // the one that open_batch() counted for this function
  if (now >= reread_at_) read_table();
  flush();
  return {};
}

void SwitchController::set_up(Place place, ManagerIndex manager, const HopSetup& setup) {
  const HopAction action = action_of(setup);
  if (!up()) {
    const auto reserved = ledger_.find(manager, setup.key);
    if (setup.commit && reserved && ledger_.hop(*reserved).state == HopState::kReserved) {
      ledger_.undo(*reserved);  // a refused commit leaves nothing of its hop
    }
    answer(place, refusal(setup.key, action, Cause::kSwitchUnreachable));
    return;
  }
  const Admission admission = ledger_.set_up(manager, setup);
  if (!admission.admitted()) {
    HopResult refused = refusal(setup.key, action, admission.cause, admission.asked);
    refused.port = admission.port;
    refused.free = admission.free;
    answer(place, refused);
    return;
  }
  HopRecord& record = ledger_.hop(admission.hop);
  if (admission.repeated) {
    ++counters_.repeats;
    if (record.state == HopState::kCommitting) {
      wait(record.progress.commit_waiters, place);
    } else {
      answer(place, success(record, action));
    }
    return;
  }
  if (setup.labels_wanted != 0 && !setup.last()) {
    const auto same = std::find_if(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
      return wanted.port == setup.output_port;
    });
    if (same != wanted_.end()) {
      same->labels += setup.labels_wanted;
    } else {
      wanted_.push_back({setup.output_port, setup.labels_wanted});
    }
  }
  if (!setup.commit) {
    ++counters_.reserves;
    answer(place, success(record, action));
    return;
  }
  record.progress.add_open = true;
  wait(record.progress.commit_waiters, place);
  driver_.add(record.cross_connect, cookie(admission.hop, Request::kAdd));
  queued_ = true;
}

void SwitchController::remove(Place place, ManagerIndex manager, const HopKey& key) {
  const auto ref = ledger_.find(manager, key);
  const HopResult unreachable = refusal(key, HopAction::kRemove, Cause::kSwitchUnreachable);
  if (!ref) {
    HopResult nothing_there;
    nothing_there.key = key;
    nothing_there.action = HopAction::kRemove;
    answer(place, up() ? nothing_there : unreachable);
    return;
  }
  const HopResult done = success(ledger_.hop(*ref), HopAction::kRemove);
  if (ledger_.begin_removal(*ref)) {
    ++counters_.removes;
    answer(place, done);
    return;
  }
  if (!up()) {
    answer(place, unreachable);
    return;
  }
  HopRecord::Progress& progress = ledger_.hop(*ref).progress;
  wait(progress.remove_waiters, place);
  if (!progress.remove_open && !progress.remove_done) send_remove(*ref);
}

void SwitchController::take_back(ManagerIndex manager, const PortLabels& returned) {
  for (const Label label : returned.labels) {
    if (ledger_.return_label(manager, returned.port, label)) {
      ++counters_.labels_returned;
    } else {
      ++counters_.returned_not_held;
    }
  }
}

Result<SwitchController::Grant> SwitchController::grant(std::string_view name, PortId port,
                                                        std::size_t labels, Resources quota) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  if (!up()) return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options_.name);
  if (!ledger_.has_port(port)) {
    return fail(ErrorCode::kNotFound, "{} has no port {}", options_.name, port);
  }
  Grant granted;
  ledger_.grant_labels(*manager, port, std::min(labels, options_.labels_per_grant_max),
                       granted.labels);
  counters_.labels_granted += granted.labels.size();
  granted.quota = ledger_.grant_quota(*manager, port, quota);
  return granted;
}

Result<void> SwitchController::give_back(std::string_view name, const PortLabels& labels,
                                         Resources quota) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  take_back(*manager, labels);
  if (!ledger_.return_quota(*manager, labels.port, quota)) ++counters_.quota_not_held;
  return {};
}

// ===== audit =====

Result<void> SwitchController::audit(std::string_view name, Token token) {
  const auto manager = ledger_.find_manager(name);
  if (!manager) return fail(ErrorCode::kNotFound, "no manager {} is known", name);
  Audit audit{0, *manager, token, ledger_.clock()};
  if (!up()) {
    report(audit, nullptr);
    return {};
  }
  if (audits_.size() >= options_.open_audits_max) {
    return fail(ErrorCode::kExhausted, "{} audits are open at {}", audits_.size(), options_.name);
  }
  audit.cookie = ++tables_asked_ << 2 | static_cast<driver::Cookie>(Request::kTable);
  audits_.push_back(audit);
  driver_.read_table(audit.cookie);
  queued_ = true;
  flush();
  return {};
}

void SwitchController::report(const Audit& audit, const std::vector<CrossConnect>* table) {
  LedgerReport report;
  TableExpectation expected;
  ledger_.for_each_hop([&](HopRef, const HopRecord& record) {
    const bool settled = record.settled();
    if (record.manager == audit.manager) {
      report.hops.push_back({record.setup.key, record.cross_connect, record.setup.demand, settled});
    }
    if (!record.cross_connect.input_label.present()) return;  // a reservation
    const bool throughout = settled && record.version <= audit.since;
    (throughout ? expected.settled : expected.moving).push_back(record.cross_connect);
  });
  std::sort(report.hops.begin(), report.hops.end(),
            [](const LedgerHop& a, const LedgerHop& b) { return a.key < b.key; });
  for (const Ended& ended : ended_) {
    if (ended.clock > audit.since) expected.moving.push_back(ended.cross_connect);
  }

  report.findings = ledger_.self_check(options_.name);
  if (table == nullptr) {
    report.findings.push_back(
        {FindingKind::kUnreadable, options_.name, "the switch's table could not be read", 1});
  } else if (ended_overflow_) {
    report.findings.push_back({FindingKind::kUnreadable, options_.name,
                               "too many hops went while the switch's table was read", 1});
  } else {
    auto differences = compare_table(options_.name, *table, std::move(expected));
    std::move(differences.begin(), differences.end(), std::back_inserter(report.findings));
  }
  if (table != nullptr) report.cross_connects = table->size();
  report.cached = ledger_.cached(audit.manager);
  report.quarantined = ledger_.quarantined(audit.manager);
  ++counters_.audits;
  outputs_.audits.push_back({ledger_.manager_name(audit.manager), audit.token, std::move(report)});
}

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
  ++open_batches_;
  return index;
}

void SwitchController::answer(Place place, const HopResult& result) {
  if (result.cause != Cause::kNone) ++counters_.refusals[static_cast<std::size_t>(result.cause)];
  batches_[place.batch].out.results[place.position] = result;
  close_one(place.batch);
}

void SwitchController::close_one(std::uint32_t index) {
  Batch& batch = batches_[index];
  XB_CHECK(batch.missing != 0, index);
  if (--batch.missing != 0) return;
  HopResultBatch out = std::exchange(batch.out, {});
  --open_batches_;
  vacant_batches_.push_back(index);
  if (!batch.wanted) return;
  outputs_.results.push_back({ledger_.manager_name(batch.manager), batch.token, std::move(out)});
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

bool SwitchController::anybody_waits(std::uint32_t head) const {
  for (; head != kNil; head = waiters_[head].next) {
    if (batches_[waiters_[head].batch].wanted) return true;
  }
  return false;
}

SwitchController::Outputs SwitchController::take_outputs() { return std::exchange(outputs_, {}); }

void SwitchController::flush() {
  if (std::exchange(queued_, false)) driver_.flush();
}

}  // namespace xbind
