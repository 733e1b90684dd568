// SwitchController: the switch comes, goes and answers.
#include "switchserver/switch_controller.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/hop_answers.hpp"

namespace xbind {

SwitchController::SwitchController(SwitchControllerOptions options, SwitchDriver& driver)
    : options_(std::move(options)),
      driver_(driver),
      ledger_(options_.ledger),
      settling_(options_.known, options_.claims_wait),
      rounds_(options_.table_round),
      traces_(options_.trace_slow) {
  for (const KnownManager& known : options_.known.value_or(std::vector<KnownManager>{})) {
    const auto index = ledger_.manager(known.name);
    if (!index) {
      log::gsmp.warn("manager {} is not awaited: {}", known.name, index.error().text);
      settling_.done(known.name);
      continue;
    }
    sessions_.resize(std::max<std::size_t>(sessions_.size(), index->value() + std::size_t{1}));
    sessions_[index->value()] = {false, known.epoch, known.renewals};
  }
}

SwitchController::~SwitchController() = default;

// ===== the switch comes and goes =====

void SwitchController::on_driver(const driver::Event& event, TimePoint now) {
  now_ = now;
  if (const auto* up = std::get_if<driver::Up>(&event)) {
    on_up(*up);
  } else if (const auto* ports = std::get_if<driver::Ports>(&event)) {
    on_ports(*ports);
  } else if (std::holds_alternative<driver::Down>(event)) {
    mark_down();
  } else if (const auto* done = std::get_if<driver::Done>(&event)) {
    on_done(*done);
  } else if (const auto* table = std::get_if<driver::Table>(&event)) {
    on_table(*table, now);
  } else if (const auto* counted = std::get_if<driver::Statistics>(&event)) {
    on_counted(*counted);
  } else if (const auto* others = std::get_if<driver::Others>(&event)) {
    rounds_.others(others->controllers, now);
  }
  flush();
}

void SwitchController::expect_later(const driver::Event& event) const {
  if (const auto* done = std::get_if<driver::Done>(&event))
    ledger_.hops().prefetch(hop_of(done->cookie));
}

void SwitchController::expect_soon(const driver::Event& event) const {
  const auto* done = std::get_if<driver::Done>(&event);
  const HopRecord* const record = done ? ledger_.hops().find_hop(hop_of(done->cookie)) : nullptr;
  if (record == nullptr) return;
  ledger_.labels().prefetch(*record);
  const bool removal = request_of(done->cookie) == Request::kRemove;
  if (removal) ledger_.hops().prefetch_place(record->manager, record->key);
  const std::uint32_t waiter = removal ? record->remove_waiters : record->commit_waiters;
  if (waiter != kNil) __builtin_prefetch(&waiters_[waiter], 1);
}

void SwitchController::on_time(TimePoint now) {
  if (now >= settling_.deadline()) end_settling(now);
  end_rests(now);
  continue_round(now);
  if (now < reread_at_) return;
  read_table();
  flush();
}

void SwitchController::on_up(const driver::Up& up) {
  mark_down();
  lost_ = false;
  settling_.switch_up(up.kept);
  if (!up.kept) ledger_.unblock_all();
  set_ports(up.ports);
  if (up.kept) {
    state_ = State::kReading;
    read_table();
  } else {
    match_ledger({});
  }
}

void SwitchController::set_ports(const std::vector<SwitchPort>& ports) {
  const std::vector<PortId> no_room = ledger_.set_ports(ports);
  if (no_room.empty()) return;
  log::gsmp.warn(
      "{} has {} ports more than the {} that a ledger keeps: port {} and others stay unknown",
      options_.name, no_room.size(), PortNumbers::kPortsMax, no_room.front());
}

// The switch stayed up and keeps its connections. Until its table has been read nothing is added;
// what must be asserted again waits for that.
void SwitchController::on_ports(const driver::Ports& ports) {
  if (state_ == State::kDown) return;
  ++counters_.port_changes;
  set_ports(ports.ports);
  if (ports.renewed.empty()) return;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord&) {
    HopRecord& record = ledger_.hop(ref);
    const PortId input = ledger_.hops().cross_connect(record).input_port;
    const bool renewed =
        std::find(ports.renewed.begin(), ports.renewed.end(), input) != ports.renewed.end();
    // The driver repeats an add that is under way.
    if (!renewed || !record.settled()) return;
    if (state_ == State::kUp && !ledger_.stacks().above(ref)) {
      reassert(ref);
    } else {  // to be sent when it is live again, or when the table has been read
      ledger_.step(ref, HopFsm::Event::kNotSent);
    }
  });
}

void SwitchController::read_table() {
  reread_at_ = kNever;
  own_table_ = ++tables_asked_ << 2 | static_cast<driver::Cookie>(Request::kTable);
  driver_.read_table(own_table_);
  queued_ = true;
}

// The driver has answered all requests before Down. This answers any that it left open.
void SwitchController::mark_down() {
  state_ = State::kDown;
  rounds_.switch_down();
  own_table_ = 0;
  reread_at_ = kNever;
  unclaimed_.clear();
  ledger_.hops().for_each([&](HopRef ref, const HopRecord&) {
    HopRecord& record = ledger_.hop(ref);
    if (HopFsm::add_open(record.state())) on_added(ref, Cause::kSwitchUnreachable, 0);
    if (HopFsm::delete_open(record.state())) {
      driver::Done lost;
      lost.cause = Cause::kSwitchUnreachable;
      on_removed(ref, lost);
    }
    ++record.ticket;
  });
  for (const Audit& audit : std::exchange(audits_, {})) report(audit, nullptr);
  for (const CallLook& look : std::exchange(looks_, {})) report(look, nullptr);
  for (const auto& [cookie, token] : std::exchange(statistics_, {})) {
    outputs_.statistics.push_back({token, Cause::kSwitchUnreachable, 0, false, {}});
  }
  strays_.clear();
  ended_.clear();
  ended_overflow_ = false;
}

void SwitchController::on_table(const driver::Table& table, TimePoint now) {
  if (table.cookie == own_table_ && own_table_ != 0) {
    own_table_ = 0;
    if (table.cause == Cause::kNone) {
      match_ledger(table.cross_connects);
    } else {
      reread_at_ = now + options_.reread_after;
    }
    return;
  }
  const bool answered =
      take_answer(audits_, table) || take_answer(looks_, table) || take_round_answer(table, now);
  if (!answered) ++counters_.unexpected_answers;
  if (audits_.empty() && looks_.empty() && !rounds_.looking()) {
    ended_.clear();
    ended_overflow_ = false;
  }
}

// Reports what waits for this table; false: it is not among these.
template <class Read>
bool SwitchController::take_answer(std::vector<Read>& reads, const driver::Table& table) {
  const auto asked = std::ranges::find(reads, table.cookie, &Read::cookie);
  if (asked == reads.end()) return false;
  const Read read = std::move(*asked);
  reads.erase(asked);
  report(read, table.cause == Cause::kNone ? &table.cross_connects : nullptr);
  return true;
}

// ===== answers of the switch =====

void SwitchController::on_done(const driver::Done& done) {
  const HopRef ref = hop_of(done.cookie);
  const Request request = request_of(done.cookie);
  HopRecord* const record = ledger_.find_hop(ref);
  if (request == Request::kTable) return on_stray_removed(done);
  lost_ = done.cause == Cause::kSwitchUnreachable;
  const bool open = record != nullptr && done.cookie == cookie(ref, *record, request) &&
                    (request == Request::kAdd      ? HopFsm::add_open(record->state())
                     : request == Request::kRemove ? HopFsm::delete_open(record->state())
                                                   : false);
  if (!open) {
    ++counters_.unexpected_answers;
  } else if (done.again && request == Request::kAdd && record->stage() != HopStage::kRemoving) {
    ledger_.step(ref, HopFsm::Event::kAddAgain);
    const auto moving = moves_.find(ref);
    if (moving == moves_.end()) {
      send_add(ref);
    } else {
      send_move(ref, CrossConnect{moving->second});
    }
  } else if (done.again && request == Request::kRemove) {
    ledger_.step(ref, HopFsm::Event::kDeleteAgain);
    send_delete(ref, live_below(ledger_, ref));
  } else if (request == Request::kAdd) {
    on_added(ref, done.cause, done.failure_code);
  } else {
    on_removed(ref, done);
  }
}

void SwitchController::on_added(HopRef ref, Cause cause, std::uint8_t failure_code) {
  HopRecord& record = ledger_.hop(ref);
  const std::optional<HopRef> below = ledger_.stacks().below(ref);
  if (!moves_.empty() && moves_.erase(ref) != 0 && cause == Cause::kNone) ++counters_.taken_over;
  ledger_.touch(ref);

  if (!changes_.empty() && changes_.contains(ref)) {
    on_contract_answer(ref, cause, failure_code);
    if (record.stage() == HopStage::kCommitted) return advance(below);
  }
  const HopFsm::Action action = ledger_.step(ref, record, answer_of(cause));
  std::uint32_t waiters = std::exchange(record.commit_waiters, kNil);
  if (cause == Cause::kNone) {
    if (waiters != kNil) ++counters_.commits;  // nobody waits for a hop that is put back
    answer_all(waiters, success(record, HopAction::kCommit));
  } else {
    answer_all(waiters, refusal(record.key, HopAction::kCommit, cause, failure_code));
  }
  switch (action) {
    case HopFsm::Action::kConnect: return advance(below);
    case HopFsm::Action::kConnectAndSend:
      advance(below);
      if (up()) reassert(ref);
      return;
    case HopFsm::Action::kNoteNotSent: ++counters_.put_back_refused; [[fallthrough]];
    case HopFsm::Action::kNoteSent: return advance(below);
    case HopFsm::Action::kUndo: return undo_refused(ref);
    case HopFsm::Action::kCleanUp: ++counters_.cleaned; return send_remove(ref);
    case HopFsm::Action::kOweRemoval: return refuse_waiting(below, cause, failure_code);
    case HopFsm::Action::kEnd:
    case HopFsm::Action::kEndAndRestore: return finish_removal(ref, action);
    case HopFsm::Action::kAnswerAdd: return;  // the removal is under way
    case HopFsm::Action::kNothing:
    case HopFsm::Action::kSendAdd:
    case HopFsm::Action::kSendMove:
    case HopFsm::Action::kSendDelete:
    case HopFsm::Action::kSendMoveBack:
    case HopFsm::Action::kRefuseRemoval: break;
  }
  XB_CHECK(false, ref, HopFsm::name(action));  // no answer to an add
}

void SwitchController::on_removed(HopRef ref, const driver::Done& done) {
  HopRecord& record = ledger_.hop(ref);
  ledger_.touch(ref);
  const HopFsm::Action action =
      ledger_.step(ref, record,
                   done.absent                  ? HopFsm::Event::kDeletedNothing
                   : done.cause == Cause::kNone ? HopFsm::Event::kDeleted
                                                : HopFsm::Event::kDeleteFailed);
  if (action == HopFsm::Action::kRefuseRemoval) {  // the next removal sends the request again
    std::uint32_t waiters = std::exchange(record.remove_waiters, kNil);
    answer_all(waiters, refusal(record.key, HopAction::kRemove, done.cause, done.failure_code));
    refuse_waiting(ledger_.stacks().below(ref), done.cause, done.failure_code);
  } else if (action != HopFsm::Action::kNothing) {
    finish_removal(ref, action);
  }
}

void SwitchController::put_back(HopRef ref) {
  ++counters_.put_back;
  ledger_.step(ref, HopFsm::Event::kSendAgain);
  send_add(ref);
}

void SwitchController::reassert(HopRef ref) {
  ++counters_.reasserted;
  ledger_.step(ref, HopFsm::Event::kSendAgain);
  send_add(ref);
}

// `how`: kEnd or kEndAndRestore, the action of the step that has ended the hop.
void SwitchController::finish_removal(HopRef ref, HopFsm::Action how) {
  HopRecord& record = ledger_.hop(ref);
  XB_CHECK(record.commit_waiters == kNil, ref, HopFsm::name(how));
  std::uint32_t waiters = record.remove_waiters;
  const HopResult done = removal_of(ref);
  const ManagerIndex manager = record.manager;
  const bool unasked = !anybody_waits(waiters) && sessions_[manager.value()].attached;
  const std::optional<HopRef> below = ledger_.stacks().below(ref);
  note_end(record);
  const bool strangers = !unclaimed_.empty();
  const CrossConnect gone = strangers ? ledger_.hops().cross_connect(record) : CrossConnect{};
  ledger_.removed(ref);
  if (strangers) block_again(gone);
  ++counters_.removes;
  if (unasked) outputs_.unasked.push_back({ledger_.managers().name(manager), done});
  answer_all(waiters, done);
  if (!below) return;
  const HopRecord& live = ledger_.hop(*below);
  const bool lost = how == HopFsm::Action::kEndAndRestore || HopFsm::stale(live.state());
  if (lost && reachable() && live.settled() && !ledger_.stacks().above(*below)) put_back(*below);
  advance(below);
}

void SwitchController::note_end(const HopRecord& gone) {
  if (audits_.empty() && looks_.empty() && !rounds_.looking()) return;
  if (ended_.size() < kEndedMax) {
    ended_.push_back({ledger_.hops().cross_connect(gone), ledger_.hops().clock() + 1});
  } else {
    ended_overflow_ = true;
  }
}

}  // namespace xbind
