#include "tests/sim/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/request_batch.hpp"
#include "core/log.hpp"

namespace xbind::sim {
namespace {

// Percent of dying programs that end in order, and that are only suspended.
constexpr std::uint64_t kEndInOrder = 30;
constexpr std::uint64_t kSuspended = 30;
// Percent of requests.
constexpr double kDuplicated = 3;           // twice in one batch on the wire
constexpr double kResubmitted = 3;          // submitted again by the program, some time later
constexpr double kInBatches = 20;           // submitted as a batch
constexpr double kCountedByRequester = 60;  // the Requester chooses their number
// How long a suspended program still sleeps, at most, after the next life has attached.
constexpr Duration kSleep = seconds{5};

void number(cmgr::RequestBody& body, RequestId request) {
  std::visit([request](auto& it) { it.request = request; }, body);
}

}  // namespace

// ===== lives =====

void Client::begin_life() {
  ++life_;
  requester_ = std::make_unique<client::Requester>(client::Identity{name_, "of " + name_}, limits_);
  numbers_go_on_ = ending_ = false;
  resubmitted_ = 0;
  for (auto& [request, asked] : asked_) {
    if (!asked.outcome) to_repeat_.insert(request);
  }
  requester_->start(world_.now);
  finish_step();
}

void Client::die(Duration for_how_long) {
  if (!requester_) return;
  another_life();
  const std::uint64_t dice = world_.chance.below(100);
  if (dice < kEndInOrder) {
    ++world_.tally["clients ended in order"];
    ending_ = true;
    requester_->end(world_.now);
    finish_step();
  } else if (dice < kEndInOrder + kSuspended) {
    ++world_.tally["clients suspended"];
    on_session_failed(requester_->session());
  } else {
    ++world_.tally["clients killed"];
  }
  add_up();
  // Without an epoch, a life that wakes is a new one.
  const bool wakes = !ending_ && dice < kEndInOrder + kSuspended && requester_->epoch() != Epoch{};
  former_ = wakes ? std::move(requester_) : nullptr;
  former_awake_ = false;
  former_life_ = life_;
  requester_.reset();
  lose_notices();
  world_.after(for_how_long, [this] { begin_life(); });
}

// The former life has no session. The life that has attached since fences it off, which ends it.
void Client::step_former() {
  if (!former_) return;
  client::Actions actions;
  former_->flush(world_.now, actions);
  if (!actions.transmit.empty() || !actions.deliveries.empty()) {
    world_.violated(fmt::format("client {}: an earlier life sends without a session", name_));
  }
  if (actions.attach) hooks_.attach(*actions.attach, former_life_);
  if (!actions.ended) return;
  if (actions.ended->code == ErrorCode::kFenced) {
    ++world_.tally["former lives fenced off"];
  } else {
    world_.violated(
        fmt::format("client {}: a former life has ended: {}", name_, actions.ended->text));
  }
  former_.reset();
}

void Client::lose_notices() {
  last_lost_ = world_.now;
  has_lost_sessions_ = true;
  for (auto& [request, call] : calls_) call.deaf = true;
}

void Client::manager_killed() {
  lose_notices();
  manager_came_back_ = true;
  for (auto& [request, call] : calls_) {
    // An open request may or may not have been carried out.
    for (const RequestId open : call.open) {
      asked_.at(open).contested = true;
      asked_.at(open).open_at_restart = true;
    }
  }
}

void Client::another_life() {
  for (auto& [request, asked] : asked_) {
    asked.open_at_end = asked.open_at_end || !asked.outcome;
  }
}

bool Client::asked_twice(RequestId request) const {
  const auto asked = asked_.find(request);
  return asked != asked_.end() && asked->second.open_at_end;
}

bool Client::is_over(RequestId setup) const {
  const auto asked = asked_.find(setup);
  if (asked == asked_.end()) return false;
  const auto call = calls_.find(setup);
  const bool gone = call != calls_.end() && call->second.state == Call::State::kGone;
  return gone || (asked->second.outcome && asked->second.outcome->cause != Cause::kNone);
}

void Client::orphaned(Epoch manager, bool contracts_known) {
  dead_manager_ = manager;
  last_lost_ = world_.now;
  contracts_known_ = contracts_known;
  gone_ = true;
  for (auto& [request, call] : calls_) {
    if (call.state == Call::State::kAsked) continue;
    // An open request may or may not be carried out; nobody can commit a hold any more.
    if (!call.quiet() || call.state == Call::State::kHeld) call.state = Call::State::kGone;
    call.orphan = true;
    call.contract_known = call.contract_known && contracts_known;
  }
}

void Client::add_up() {
  if (!requester_) return;
  const OfRequester& counters = requester_->counters();
  for (const auto& [name, counter] : kRequesterCounters) world_.tally[name] += counters.*counter;
  const session::Counters batches = requester_->session_counters();
  for (const auto& [name, counter] : kRequesterBatches) world_.tally[name] += batches.*counter;
  const std::uint64_t ended = counters.answered + counters.failed;
  if (world_.planted == Planted::kClientReusesRequest ||
      counters.submitted == ended + requester_->open() + resubmitted_) {
    return;
  }
  world_.violated(fmt::format(
      "client {}: {} requests accepted, but {} resubmitted + {} ended + {} open do not add up",
      name_, counters.submitted, resubmitted_, ended, requester_->open()));
}

std::size_t Client::unanswered() const {
  std::size_t count = 0;
  for (const auto& [request, asked] : asked_) count += !asked.outcome;
  return gone_ ? 0 : count;
}

// ===== what happens =====

// Ignores answers to an attempt of an earlier life.
void Client::on_attached(std::uint64_t life, const client::Attach& attempt,
                         const cmgr::ClientAttachment& attachment) {
  if (former_awake_ && former_ && life == former_life_) {
    // A manager without memory let the former life in. Two programs of one name would confirm each
    // other's outcomes, so the world kills the former one.
    ++world_.tally["former lives let in"];
    former_.reset();
  }
  if (!requester_ || life != life_) return;
  requester_->attached(attempt.attempt, attachment.session, attachment.batches_in_flight,
                       attempt.epoch, world_.now);
  finish_step();
  if (!former_ || former_awake_) return;
  former_awake_ = true;
  former_wakes_ = world_.now + world_.chance.up_to(kSleep);
}

void Client::on_attach_failed(std::uint64_t life, const client::Attach& attempt,
                              const Error& error) {
  if (former_awake_ && former_ && life == former_life_) {
    former_->attach_failed(attempt.attempt, error, world_.now);
    step_former();
  }
  if (!requester_ || life != life_) return;
  requester_->attach_failed(attempt.attempt, error, world_.now);
  finish_step();
}

void Client::on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame) {
  if (!requester_) return;
  receiving_session_ = session;
  if (frame.batch && session == requester_->session()) judge_repeats(*frame.batch);
  requester_->receive(session, frame, world_.now);
  finish_step();
}

void Client::on_session_ended(SessionId session, std::string_view why) {
  if (!requester_) return;
  requester_->session_ended(session, why, world_.now);
  finish_step();
}

void Client::on_session_failed(SessionId session) {
  if (!requester_) return;
  requester_->session_failed(session, {ErrorCode::kUnreachable, "the connection has broken"},
                             world_.now);
  finish_step();
}

TimePoint Client::next_deadline() const {
  const TimePoint own = requester_ ? requester_->next_deadline() : kNever;
  if (!former_ || !former_awake_) return own;
  return std::min(own, std::max(former_wakes_, former_->next_deadline()));
}

void Client::tick() {
  if (former_ && former_awake_ && former_wakes_ <= world_.now) {
    former_->tick(world_.now);
    step_former();
  }
  if (!requester_) return;
  requester_->tick(world_.now);
  finish_step();
}

void Client::finish_step() {
  if (!requester_) return;
  if (!ending_) repeat_unanswered();
  requester_->flush(world_.now, actions_);
  transmit();
  for (const SessionId session : actions_.detach) hooks_.detach(session);
  if (actions_.attach) hooks_.attach(*actions_.attach, life_);
  for (const auto& batch : actions_.deliveries) {
    for (const Outcome& outcome : batch->outcomes) judge(outcome);
    for (const Notice& notice : batch->notices) hear(notice);
  }
  for (const client::Failure& failure : actions_.failed) judge(failure);
  for (const client::SessionChange& change : actions_.changes) judge(change);
  if (actions_.ended && !ending_) {
    world_.violated(fmt::format("client {} has ended: {}", name_, actions_.ended->text));
  }
}

void Client::transmit() {
  for (session::Frame<RequestBatch>& frame : actions_.transmit) {
    if (frame.batch) {
      client::for_each_number(*frame.batch, [this](RequestId request, client::Place) {
        const auto asked = asked_.find(request);
        if (asked != asked_.end()) {
          asked->second.sent = true;
        } else {
          world_.violated(
              fmt::format("client {}: request {} is sent and was never made", name_, request));
        }
      });
      if (world_.chance.percent(kDuplicated)) duplicate_request(frame);
    }
    hooks_.transmit(actions_.session, std::move(frame));
  }
}

// Puts one request into the batch twice, as a foreign client may. The manager must carry it out
// once.
void Client::duplicate_request(session::Frame<RequestBatch>& frame) {
  RequestBatch batch = *frame.batch;
  const std::uint64_t which = world_.chance.below(client::count(batch));
  std::uint64_t at = 0;
  client::for_each_number(*frame.batch, [&](RequestId, client::Place place) {
    if (at++ == which) client::append(*frame.batch, place, batch);
  });
  frame.batch = std::make_shared<const RequestBatch>(std::move(batch));
  ++world_.tally["requests said twice"];
}

// ===== requests =====

// When the Requester refuses, there is nothing to wait for: the next step tries again.
void Client::repeat_unanswered() {
  while (!to_repeat_.empty()) {
    Asked& asked = asked_.at(*to_repeat_.begin());
    if (!requester_->submit(asked.body)) return;
    ++world_.tally["requests repeated by the program"];
    asked.sent = false;
    to_repeat_.erase(to_repeat_.begin());
  }
}

// Submits the request alone or as a batch of the program's own.
Result<RequestId> Client::submit(const cmgr::RequestBody& body, RequestId request) {
  if (!world_.chance.percent(kInBatches)) return requester_->submit(body);
  RequestBatch batch;
  client::append(body, batch);
  if (auto taken = requester_->submit(std::move(batch)); !taken) {
    return tl::make_unexpected(std::move(taken.error()));
  }
  return request;
}

std::optional<RequestId> Client::ask(cmgr::RequestBody body, Call* call) {
  if (!requester_) return std::nullopt;
  const RequestId request{next_request_};
  number(body, request);
  Result<RequestId> taken = request;
  if (numbers_go_on_ && world_.chance.percent(kCountedByRequester)) {
    number(body, RequestId{});
    taken = requester_->submit(body);
  } else {
    taken = submit(body, request);
  }
  if (!taken) {
    ++world_.tally["requests refused by the Requester: " +
                   std::string{to_string(taken.error().code)}];
    return std::nullopt;
  }
  if (*taken != request) {
    world_.violated(
        fmt::format("client {}: a request has the number {}, not {}", name_, *taken, request));
  }
  number(body, request);
  if (world_.chance.percent(kResubmitted)) {
    world_.after(world_.chance.up_to(milliseconds{500}), [this, request] { say_again(request); });
  }
  ++next_request_;
  numbers_go_on_ = true;
  Asked& asked = asked_[request];
  asked.body = std::move(body);
  if (log::enabled(log::Level::kDebug)) {
    note(fmt::format("asks: request {}, connection {}, kind {}", request,
                     call != nullptr ? call->id : ConnectionId{}, asked.body.index()));
  }
  if (call != nullptr) {
    asked.call = call->setup.request;
    asked.contested = !call->quiet();
    for (const RequestId other : call->open) asked_.at(other).contested = true;
    call->open.insert(request);
  }
  return request;
}

// An impatient program submits a request that its Requester already has. It must not be carried out
// twice.
void Client::say_again(RequestId request) {
  const Asked& asked = asked_.at(request);
  if (!requester_ || asked.outcome || to_repeat_.contains(request)) return;
  if (!submit(asked.body, request)) return;
  ++resubmitted_;
  ++world_.tally["requests resubmitted"];
  finish_step();
}

void Client::connect(ConnectRequest wanted) {
  if (world_.planted == Planted::kClientReusesRequest && world_.chance.percent(20) &&
      !asked_.empty()) {
    wanted.request = asked_.begin()->first;
    (void)requester_->submit(wanted);
    finish_step();
    return;
  }
  const auto request = ask(wanted, nullptr);
  if (!request) return;
  Asked& asked = asked_.at(*request);
  asked.call = *request;
  Call& call = calls_[*request];
  call.setup = std::get<ConnectRequest>(asked.body);
  call.asked_at = world_.now;
  call.open.insert(*request);
  finish_step();
}

void Client::release(Call& call) {
  if (!ask(ReleaseRequest{{}, call.id}, &call)) return;
  ++call.releases;
  finish_step();
}

void Client::modify(Call& call, const ServiceSpec& service,
                    const std::optional<ServiceSpec>& reverse) {
  if (ask(ModifyRequest{{}, call.id, service, reverse}, &call)) finish_step();
}

void Client::leaf(Call& call, const std::string& end, bool drop) {
  const auto request = ask(LeafRequest{{}, call.id, end, drop}, &call);
  if (!request) return;
  call.had_leaves = true;
  if (const auto there = call.ends.find(end); drop && there != call.ends.end()) {
    asked_.at(*request).dropped = there->second;
    call.ends.erase(there);
  }
  finish_step();
}

void Client::commit(Call& call) {
  if (ask(CommitRequest{{}, call.id}, &call)) finish_step();
}

void Client::send_nonsense(cmgr::RequestBody body) {
  if (ask(std::move(body), nullptr)) finish_step();
}

}  // namespace xbind::sim
