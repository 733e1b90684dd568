// Client: judges every outcome, then updates what the client believes.
#include <fmt/format.h>

#include <algorithm>

#include "core/log.hpp"
#include "tests/sim/client.hpp"
#include "tests/sim/expected.hpp"

namespace xbind::sim {
namespace {

// Whether the cause says that the manager does not (or no longer) have the call. kChangeUnderWay
// counts only where connections do not move to other paths.
bool says_not_there(Cause cause, bool lines) {
  return cause == Cause::kUnknownConnection || cause == Cause::kBeingReleased ||
         cause == Cause::kHoldExpired || cause == Cause::kNotConnected ||
         (cause == Cause::kChangeUnderWay && !lines);
}

// The manager has come back, and switches have not been read: what is found of the call later is
// removed.
bool says_unread(const Outcome& outcome) {
  return outcome.cause == Cause::kUnknownConnection &&
         outcome.reason.starts_with("not read since the manager's start");
}

}  // namespace

// For the replay of a single seed (seeds.hpp).
void Client::note(const std::string& what) const {
  const auto now = std::chrono::duration_cast<milliseconds>(world_.now.time_since_epoch());
  log::debug("{} ms {} {}", now.count(), name_, what);
}

// Each request has exactly one outcome.
void Client::judge(const Outcome& outcome) {
  const auto found = asked_.find(outcome.request);
  if (found == asked_.end()) {
    world_.violated(fmt::format("client {}: request {} was answered {} and never made", name_,
                                outcome.request, explain(outcome)));
    return;
  }
  Asked& asked = found->second;
  if (asked.outcome) {
    world_.violated(fmt::format("client {}: request {} has two outcomes: {} ({}) and {} ({})",
                                name_, outcome.request, explain(*asked.outcome),
                                asked.outcome->connection, explain(outcome), outcome.connection));
    return;
  }
  asked.outcome = outcome;
  if (log::enabled(log::Level::kDebug)) {
    note(fmt::format("is told about request {}, connection {}: {}", outcome.request,
                     outcome.connection, explain(outcome)));
  }
  ++world_.tally["outcomes"];
  ++world_.tally["outcome: " + std::string{to_string(outcome.kind)}];
  if (outcome.cause != Cause::kNone) {
    ++world_.tally["cause: " + std::string{to_string(outcome.cause)}];
  }
  judge_first(asked, outcome);
}

// Outcomes that the Requester filters out as repeated: the manager may repeat an outcome, but not
// change it.
void Client::judge_repeats(const OutcomeBatch& batch) {
  for (const Outcome& outcome : batch.outcomes) {
    const auto found = asked_.find(outcome.request);
    if (found == asked_.end()) {
      world_.violated(fmt::format("client {}: request {} was answered {} and never made", name_,
                                  outcome.request, explain(outcome)));
      return;
    }
    const std::optional<Outcome>& known = found->second.outcome;
    if (!known || *known == outcome) continue;
    world_.violated(fmt::format("client {}: request {} has two outcomes: {} ({}) and {} ({})",
                                name_, outcome.request, explain(*known), known->connection,
                                explain(outcome), outcome.connection));
  }
}

// A failed request has no outcome, and fails once.
void Client::judge(const client::Failure& failure) {
  const auto fails = [&](RequestId request) {
    const auto found = asked_.find(request);
    if (found == asked_.end() || found->second.outcome || !to_repeat_.insert(request).second) {
      world_.violated(fmt::format("client {}: request {} fails, but was not open: {}", name_,
                                  request, failure.why.text));
    }
  };
  for (const RequestId request : failure.unsent) {
    fails(request);
    const auto found = asked_.find(request);
    if (found == asked_.end() || !found->second.sent) continue;
    world_.violated(fmt::format(
        "client {}: request {} was sent, but its failure says that it was not", name_, request));
  }
  for (const RequestId request : failure.unknown) fails(request);
  world_.tally["requests that failed unsent"] += failure.unsent.size();
  world_.tally["requests that failed when sent"] += failure.unknown.size();
}

void Client::judge(const client::SessionChange& change) {
  note(change.lost ? change.lost->text : "has attached");
  if (!change.lost) return;
  lose_notices();
  if (change.lost->code == ErrorCode::kProtocol) {
    world_.violated(fmt::format("client {}: {}", name_, change.lost->text));
  }
}

// A notice is about a connection that the client has or had: it may be in flight when the call is
// released. It may also come first, when the outcome was lost with a session and only arrives when
// the request is repeated.
void Client::hear(const Notice& notice) {
  ++world_.tally["notices"];
  ++world_.tally["notice: " + std::string{to_string(notice.kind)}];
  const auto about = std::find_if(calls_.begin(), calls_.end(), [&](const auto& entry) {
    const Call& call = entry.second;
    return call.id == notice.connection &&
           (call.state == Call::State::kUp || call.state == Call::State::kGone);
  });
  const bool broken = notice.kind == NoticeKind::kBroken || notice.kind == NoticeKind::kIncomplete;
  const bool has_element = notice.kind == NoticeKind::kMended || !notice.element.empty();
  const bool too_early = about == calls_.end() && has_lost_sessions_;
  if ((about == calls_.end() && !too_early) || broken == (notice.cause == Cause::kNone) ||
      !has_element) {
    world_.violated(fmt::format("client {}: unexpected notice: connection {} is {} ({} {})", name_,
                                notice.connection, to_string(notice.kind), to_string(notice.cause),
                                notice.element));
    return;
  }
  if (broken) ++world_.tally["broken: " + std::string{to_string(notice.cause)}];
  if (too_early) {
    ++world_.tally["notices before the outcome"];
    early_[notice.connection] = notice;
    return;
  }
  if (notice.kind == NoticeKind::kMended && about->second.heard &&
      about->second.heard->kind == NoticeKind::kIncomplete) {
    ++world_.tally["incomplete calls mended"];
  }
  about->second.heard = notice;
  about->second.deaf = false;
}

void Client::wrong(const Outcome& outcome, std::string_view why) {
  world_.violated(fmt::format("client {}: request {} about connection {} was answered: {}; {}",
                              name_, outcome.request, outcome.connection, explain(outcome), why));
}

void Client::judge_first(Asked& asked, const Outcome& outcome) {
  const bool no = outcome.kind == OutcomeKind::kRefused || outcome.kind == OutcomeKind::kBusy;
  if (no == (outcome.cause == Cause::kNone)) wrong(outcome, "a refusal has a cause, nothing else");
  const auto found = calls_.find(asked.call);
  if (found == calls_.end()) {
    if (!no) wrong(outcome, "it was nonsense");
    return;
  }
  Call& call = found->second;
  call.open.erase(outcome.request);
  if (from_dead_manager()) {
    ++world_.tally["last words of dead managers"];
    call.orphan = true;
    call.contract_known = call.contract_known && contracts_known_;
  }
  std::visit(
      [&](const auto& request) {
        if constexpr (std::is_same_v<std::decay_t<decltype(request)>, ConnectRequest>) {
          believe(call, request, outcome);
        } else {
          believe(call, asked, request, outcome);
        }
      },
      asked.body);
  // As in orphaned(): a hold cannot be committed, and the result of an open request is uncertain.
  if (from_dead_manager() && (!call.quiet() || call.state == Call::State::kHeld)) {
    call.state = Call::State::kGone;
  }
}

bool Client::from_dead_manager() const {
  return gone_ && dead_manager_ != Epoch{} &&
         receiving_session_.value() >> 32 <= dead_manager_.value();
}

// The ends have the labels of the frames that the request wants there, in both directions.
void Client::check_frames(const ConnectRequest& asked, const Outcome& outcome) {
  const auto check = [&](const std::optional<FrameTraffic>& frames, Label entering, Label leaving) {
    if (!frames) return;
    ++world_.tally["ends with frames"];
    const bool one_way = !asked.reverse;
    const bool enters = entering == frames->label() || (one_way && !entering.present());
    const bool leaves = leaving == frames->label() || (one_way && !leaving.present());
    if (!enters || !leaves) wrong(outcome, "the frames were to be " + frames->text());
  };
  check(asked.from_frames, outcome.ingress, outcome.reverse_egress);
  check(asked.to_frames, outcome.reverse_ingress, outcome.egress);
}

void Client::comes_up(Call& call, const Outcome& outcome) {
  call.state = Call::State::kUp;
  call.id = outcome.connection;
  check_frames(call.setup, outcome);
  call.ingress = outcome.ingress;
  call.reverse_ingress = outcome.reverse_ingress;
  call.reverse_egress = outcome.reverse_egress;
  call.ends[call.setup.to] = outcome.egress;
  call.contracts = {expected_contract(call.setup.service, call.setup.reverse)};
  call.deaf = has_lost_sessions_;
  if (const auto heard = early_.extract(call.id); !heard.empty()) call.heard = heard.mapped();
  hooks_.up(call);
}

void Client::believe(Call& call, const ConnectRequest& asked, const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::kConnected:
      if (asked.hold_ms != 0) wrong(outcome, "the request was a hold");
      comes_up(call, outcome);
      return;
    case OutcomeKind::kHeld:
      if (asked.hold_ms == 0) wrong(outcome, "the request was no hold");
      call.state = Call::State::kHeld;
      call.id = outcome.connection;
      if (call.told_held == TimePoint{}) call.told_held = world_.now;
      hooks_.held(call);
      return;
    case OutcomeKind::kRefused:
    case OutcomeKind::kBusy: call.state = Call::State::kGone; return;
    default: wrong(outcome, "the request was a connect");
  }
}

void Client::believe(Call& call, Asked& asked, const ReleaseRequest&, const Outcome& outcome) {
  --call.releases;
  const bool sure =
      call.state == Call::State::kUp && !asked.contested && !call.orphan && !call.of_nobody;
  switch (outcome.kind) {
    case OutcomeKind::kReleased:
      // A manager that has come back knows only that nothing is left of the call.
      if (call.released && !manager_came_back_) wrong(outcome, "released twice");
      call.released = true;
      call.state = Call::State::kGone;
      return;
    case OutcomeKind::kBusy:
      // This manager has not begun it, but the one before may have carried it out.
      if (asked.open_at_restart) call.state = Call::State::kGone;
      return;
    case OutcomeKind::kRefused:
      if (sure && !says_unread(outcome)) wrong(outcome, "it was up");
      if (manager_came_back_ && outcome.cause == Cause::kUnknownConnection &&
          !outcome.reason.empty()) {
        ++world_.tally["releases of calls that nobody has"];
        call.released = true;
        call.state = Call::State::kGone;
        return;
      }
      if (call.state == Call::State::kHeld && outcome.cause == Cause::kUnknownConnection &&
          !asked.contested) {
        call.state = Call::State::kGone;  // the hold has expired
      }
      return;
    default: wrong(outcome, "the request was a release");
  }
}

void Client::believe(Call& call, Asked& asked, const ModifyRequest& request,
                     const Outcome& outcome) {
  const bool sure =
      call.state == Call::State::kUp && !asked.contested && !call.orphan && !call.of_nobody;
  // A change that was under way when the manager was killed may have lowered the contract, also if
  // the repeated request is refused.
  if (asked.contested && manager_came_back_) {
    const cmgr::Contract target = expected_contract(request.service, request.reverse);
    std::vector<cmgr::Contract> possible{target};
    // Every hop may have had what the old and the new contract need.
    for (const cmgr::Contract& had : call.contracts) {
      if (had.traffic.category != target.traffic.category) continue;  // no change can have begun
      if (had.reverse_traffic.category != target.reverse_traffic.category) continue;
      const cmgr::Contract both = cmgr::greater(had, target);
      add_new({both}, possible);
      // A hop to which the change before was owed as well may have more of one component and less
      // of a second: the next manager sets every hop to the least of each (seed 4708).
      for (const cmgr::Contract& earlier : call.earlier_contracts) {
        if (earlier.traffic.category != had.traffic.category) continue;
        if (earlier.reverse_traffic.category != had.reverse_traffic.category) continue;
        add_new({cmgr::lesser(cmgr::greater(earlier, had), both), cmgr::lesser(earlier, both)},
                possible);
      }
    }
    add_new(possible, call.contracts);
  }
  switch (outcome.kind) {
    case OutcomeKind::kModified: {
      const cmgr::Contract now = expected_contract(request.service, request.reverse);
      add_new(call.contracts, call.earlier_contracts);
      if (sure) call.contracts.clear();
      add_new({now}, call.contracts);
      return;
    }
    case OutcomeKind::kBusy: return;
    case OutcomeKind::kRefused: {
      if (sure && says_not_there(outcome.cause, world_.lines)) wrong(outcome, "it was up");
      // Hops may have it while the way back is owed to them: the next manager gives it to a lost
      // hop beside them (docs/reliability.md; seed 100513).
      const cmgr::Contract target = expected_contract(request.service, request.reverse);
      std::vector<cmgr::Contract> possible{target};
      for (const cmgr::Contract& had : call.contracts) {
        if (had.traffic.category != target.traffic.category) continue;
        if (had.reverse_traffic.category != target.reverse_traffic.category) continue;
        add_new({cmgr::greater(had, target)}, possible);
      }
      add_new(possible, call.earlier_contracts);
      return;
    }
    default: wrong(outcome, "the request was a modify");
  }
}

void Client::believe(Call& call, Asked& asked, const LeafRequest& request, const Outcome& outcome) {
  const bool sure =
      call.state == Call::State::kUp && !asked.contested && !call.orphan && !call.of_nobody;
  const bool done = outcome.kind != OutcomeKind::kRefused && outcome.kind != OutcomeKind::kBusy;
  if (done &&
      outcome.kind != (request.drop ? OutcomeKind::kLeafDropped : OutcomeKind::kLeafAdded)) {
    wrong(outcome, "the request was the other change of a leaf");
  }
  if (sure && says_not_there(outcome.cause, world_.lines)) wrong(outcome, "it was up");
  if (!sure) {
    call.uncertain_ends.insert(request.end);
  } else if (done && !request.drop) {
    call.ends[request.end] = outcome.egress;
  } else if (!done && request.drop && asked.dropped.present()) {
    call.ends[request.end] = asked.dropped;  // the leaf is still there
  }
}

void Client::believe(Call& call, Asked& asked, const CommitRequest&, const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::kConnected:
      if (call.released) return;  // repeated together with the release
      if (call.state != Call::State::kUp) {
        comes_up(call, outcome);
        return;
      }
      // Its labels stay, whatever has changed since.
      ++world_.tally["commits of calls that are up"];
      if (outcome.connection != call.id || outcome.ingress != call.ingress ||
          outcome.reverse_ingress != call.reverse_ingress ||
          outcome.reverse_egress != call.reverse_egress) {
        wrong(outcome, "the call is up, and with other labels");
      }
      return;
    case OutcomeKind::kBusy:
      // The manager that has come back has not read the hops yet: they may be up.
      if (call.state == Call::State::kHeld && manager_came_back_) hooks_.held(call);
      return;
    case OutcomeKind::kRefused:
      if (outcome.cause == Cause::kIncomplete) {
        ++world_.tally["commits of incomplete calls"];
        if (call.state == Call::State::kHeld) hooks_.held(call);
        return;
      }
      if (call.state == Call::State::kUp && !asked.contested && !call.orphan && !call.of_nobody &&
          says_not_there(outcome.cause, world_.lines)) {
        wrong(outcome, "it was up");
      }
      if (call.state != Call::State::kHeld) return;
      if (outcome.cause == Cause::kNotConnected || outcome.cause == Cause::kChangeUnderWay) {
        if (!asked.contested && !call.of_nobody) wrong(outcome, "it was held");
        return;
      }
      call.state = Call::State::kGone;
      return;
    default: wrong(outcome, "the request was a commit");
  }
}

}  // namespace xbind::sim
