#include "client/requester.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "core/wire_octets.hpp"

namespace xbind::client {
namespace {

std::int64_t in_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

TimePoint later(TimePoint now, Duration wait) { return wait == kForever ? kNever : now + wait; }

// Whether another attempt would fail in the same way.
bool is_final(ErrorCode code) {
  switch (code) {
    case ErrorCode::kFenced:
    case ErrorCode::kVersion:
    case ErrorCode::kBadInput: return true;
    case ErrorCode::kNotFound:  // the manager is not bound yet
    case ErrorCode::kExhausted:
    case ErrorCode::kUnreachable:
    case ErrorCode::kTimeout:
    case ErrorCode::kProtocol:
    case ErrorCode::kSystem: return false;
  }
  return false;
}

void add(session::Counters& sum, const session::Counters& more) {
  sum.sent += more.sent;
  sum.resent += more.resent;
  sum.applied += more.applied;
  sum.repeated += more.repeated;
  sum.held_back += more.held_back;
}

}  // namespace

Requester::Requester(Identity identity, const Limits& limits)
    : identity_(std::move(identity)),
      limits_(limits),
      open_(limits.reattach),
      attaching_({.back_off = limits.back_off, .answer_within = limits.attach_answer}) {
  const Result<void> checked = check(limits);
  XB_CHECK(checked.has_value(), checked ? std::string{} : checked.error().text);
}

void Requester::start(TimePoint now) {
  XB_CHECK(state() == State::kIdle, to_string(state()));
  unreachable_at_ = later(now, limits_.reach_within);
  attaching_.begin(now);
  attach(now);
}

// ===== requests =====

Result<void> Requester::may_take(std::size_t requests) {
  if (ended_) return tl::make_unexpected(*ended_);
  if (unreachable_) return tl::make_unexpected(*unreachable_);
  if (std::max(open_.size(), waiting_requests_) + requests > limits_.open_max) {
    return fail(ErrorCode::kExhausted,
                "{} requests of client {} have no answer yet; the limit is {}: {} more refused",
                open_.size(), identity_.client, limits_.open_max, requests);
  }
  return {};
}

Result<RequestId> Requester::submit(Request request) {
  if (auto taken = may_take(1); !taken) {
    ++counters_.refused;
    return tl::make_unexpected(std::move(taken.error()));
  }
  RequestId number = std::visit([](const auto& each) { return each.request; }, request);
  if (number == RequestId{}) {
    if (next_number_ == 0) {
      ++counters_.refused;
      return fail(ErrorCode::kExhausted, "request number {} was used; no higher number exists",
                  std::numeric_limits<std::uint64_t>::max());
    }
    number = RequestId{next_number_};
    std::visit([number](auto& each) { each.request = number; }, request);
  }
  if (next_number_ != 0 && number.value() >= next_number_) next_number_ = number.value() + 1;
  const bool fresh = open_.add(number);
  ++counters_.submitted;
  if (fresh || planted(Bug::kOpenSentAgain)) gather(std::move(request));
  return number;
}

void Requester::gather(Request request) {
  if (!gathering_ || count(waiting_.back()) >= limits_.requests_per_batch) {
    waiting_.push_back({});
    gathering_ = true;
  }
  append(std::move(request), waiting_.back());
  ++waiting_requests_;
}

Result<void> Requester::submit(RequestBatch&& batch) {
  const std::size_t requests = count(batch);
  Result<void> taken = may_take(requests);
  if (requests == 0 || requests > limits_.requests_per_batch) {
    taken = fail(ErrorCode::kBadInput, "a batch has {} requests, not 1 to {}", requests,
                 limits_.requests_per_batch);
  }
  if (taken) {
    for_each_number(batch, [&taken](RequestId request, Place) {
      if (request == RequestId{}) {
        taken = fail(ErrorCode::kBadInput, "a request of a batch has the number 0");
      }
    });
  }
  if (!taken) {
    counters_.refused += requests;
    return taken;
  }
  std::vector<Place> open_already;  // usually empty
  for_each_number(batch, [&](RequestId request, Place place) {
    if (!open_.add(request)) open_already.push_back(place);
    if (next_number_ != 0 && request.value() >= next_number_) next_number_ = request.value() + 1;
  });
  counters_.submitted += requests;
  if (open_already.size() == requests) return {};
  if (!open_already.empty()) batch = without(batch, open_already);
  waiting_.push_back(std::move(batch));
  waiting_requests_ += requests - open_already.size();
  gathering_ = false;
  return {};
}

// ===== attaching =====

void Requester::attach(TimePoint now) {
  const auto attempt = attaching_.take(now);
  if (attempt) actions_.attach = Attach{*attempt, identity_.client, identity_.epoch};
}

void Requester::attached(std::uint64_t attempt, SessionId session, std::uint32_t window,
                         Epoch epoch, TimePoint now) {
  if (ended_) {
    actions_.detach.push_back(session);
    return;
  }
  if (!attaching_.awaits(attempt)) {
    // The manager has ended this session already, or will do so at the next attempt.
    ++counters_.stale_messages;
    return;
  }
  if (session == SessionId{} || window == 0) {
    attach_failed(attempt,
                  Error{ErrorCode::kProtocol,
                        fmt::format("manager {} gives session {} with a window of {} batches",
                                    identity_.manager, session, window)},
                  now);
    return;
  }
  attaching_.attached(attempt, now);
  identity_.epoch = epoch;
  ++counters_.attached;
  session_ = session;
  first_sent_ = kNever;
  heard_ = false;
  unreachable_at_ = kNever;
  unreachable_.reset();
  link_ = std::make_unique<Link>(limits_.session.agreed(window), now);
  actions_.changes.push_back({});
  if (std::exchange(ended_early_, {}) == session) {
    lose({ErrorCode::kUnreachable,
          fmt::format("manager {} has ended session {} at once", identity_.manager, session)},
         now);
  }
}

void Requester::attach_failed(std::uint64_t attempt, const Error& error, TimePoint now) {
  if (!attaching_.awaits(attempt)) {
    ++counters_.stale_messages;
    return;
  }
  ++counters_.attach_failures;
  if (planted(Bug::kReplacedComesBack) && error.code == ErrorCode::kFenced) {
    identity_.epoch = {};
    attaching_.failed(attempt, now, limits_.jitter);
    return;
  }
  if (!finish_if_final(error)) attaching_.failed(attempt, now, limits_.jitter);
}

bool Requester::finish_if_final(const Error& why) {
  last_failure_ = why;
  if (limits_.reattach && !is_final(why.code)) return false;
  finish(why, why);
  return true;
}

// ===== the session =====

void Requester::receive(SessionId session, session::Frame<OutcomeBatch> frame, TimePoint now) {
  const bool present = session == session_ || planted(Bug::kOldSessionHeard);
  if (state() != State::kAttached || !present) {
    ++counters_.stale_messages;
    return;
  }
  heard_ = true;
  const auto received = link_->receive(std::move(frame), now, in_order_);
  for (const auto& batch : in_order_) {
    if (auto news = new_part_of(batch)) actions_.deliveries.push_back(std::move(news));
  }
  in_order_.clear();
  if (!received) lose(received.error(), now);
}

std::shared_ptr<const OutcomeBatch> Requester::new_part_of(
    const std::shared_ptr<const OutcomeBatch>& batch) {
  counters_.notices += batch->notices.size();
  std::vector<std::size_t> known;  // positions of outcomes without an open request
  for (std::size_t i = 0; i < batch->outcomes.size(); ++i) {
    if (!open_.answered(batch->outcomes[i].request)) known.push_back(i);
  }
  counters_.answered += batch->outcomes.size() - known.size();
  counters_.unknown_outcomes += known.size();
  if (known.empty() || planted(Bug::kAnsweredTwice)) return batch;
  for (const std::size_t i : known) actions_.unexpected.push_back(batch->outcomes[i]);
  if (known.size() == batch->outcomes.size() && batch->notices.empty()) return nullptr;
  auto news = std::make_shared<OutcomeBatch>();
  auto skip = known.begin();
  for (std::size_t i = 0; i < batch->outcomes.size(); ++i) {
    if (skip != known.end() && *skip == i) {
      ++skip;
    } else {
      news->outcomes.push_back(batch->outcomes[i]);
    }
  }
  news->notices = batch->notices;
  return news;
}

void Requester::session_failed(SessionId session, const Error& error, TimePoint now) {
  if (state() == State::kAttached && session == session_) lose(error, now);
}

void Requester::session_ended(SessionId session, std::string_view why, TimePoint now) {
  if (state() == State::kAttached && session == session_) {
    lose({ErrorCode::kUnreachable,
          fmt::format("manager {} has ended session {}: {}", identity_.manager, session, why)},
         now);
  } else if (state() == State::kAttaching) {
    // attached() may be about to report this very session. The manager reports its end only once,
    // so it is stored until then.
    ended_early_ = session;
  } else {
    ++counters_.stale_messages;
  }
}

void Requester::lose(const Error& why, TimePoint now) {
  ++counters_.sessions_lost;
  const SessionId lost = session_;
  drop_session();
  actions_.changes.push_back({why});
  unreachable_at_ = later(now, limits_.reach_within);

  std::vector<RequestBatch> again = open_.copies_of_sent(limits_.requests_per_batch);
  if (planted(Bug::kRepeatDropped)) again.clear();
  for (RequestBatch& batch : again) {
    if (planted(Bug::kRepeatRenumbered)) {
      for (ConnectRequest& connect : batch.connects) connect.request = RequestId{next_number_++};
    }
    const std::size_t requests = count(batch);
    counters_.repeated += requests;
    waiting_requests_ += requests;
  }
  // Repeats are sent before requests that were never sent.
  waiting_.push_front(std::move(again));
  if (finish_if_final(why)) {
    // The manager may not have noticed the loss yet, and no later attempt would inform it.
    actions_.detach.push_back(lost);
  } else {
    attaching_.lost(now, limits_.jitter);
  }
}

void Requester::drop_session() {
  if (link_) add(earlier_sessions_, link_->counters());
  link_.reset();
  session_ = {};
  actions_.transmit.clear();
}

// ===== time =====

TimePoint Requester::silence_ends() const {
  return heard_ || first_sent_ == kNever ? kNever : later(first_sent_, limits_.first_answer);
}

void Requester::tick(TimePoint now) {
  if (state() == State::kAttached) {
    if (silence_ends() <= now) {
      lose({ErrorCode::kTimeout,
            fmt::format("manager {} has sent nothing in session {} for {} ms: can it reach this "
                        "program?",
                        identity_.manager, session_, in_ms(limits_.first_answer))},
           now);
    } else if (const auto ticked = link_->tick(now, actions_.transmit); !ticked) {
      lose({ticked.error().code,
            fmt::format("manager {}: {}", identity_.manager, ticked.error().text)},
           now);
    }
  }
  if (const auto attempt = attaching_.overdue(now)) {
    attach_failed(
        *attempt,
        {ErrorCode::kTimeout, fmt::format("attaching to manager {} took more than {} ms",
                                          identity_.manager, in_ms(limits_.attach_answer))},
        now);
  }
  attach(now);
  if (unreachable_at_ <= now && !ended_) {
    unreachable_at_ = kNever;
    unreachable_ =
        Error{ErrorCode::kUnreachable,
              fmt::format("manager {} has not been reached for {} ms: {}", identity_.manager,
                          in_ms(limits_.reach_within), last_failure_.text)};
    fail_open(*unreachable_);
  }
}

TimePoint Requester::next_deadline() const {
  if (link_) return std::min(link_->next_deadline(), silence_ends());
  return std::min(attaching_.next_deadline(), unreachable_at_);
}

// ===== sending =====

void Requester::flush(TimePoint now, Actions& actions) {
  while (state() == State::kAttached && !waiting_.empty() && link_->has_credit()) {
    RequestBatch batch = waiting_.take_front();
    waiting_requests_ -= count(batch);
    const std::size_t octets = wire_octets(batch);
    session::Frame<RequestBatch> frame = link_->send(std::move(batch), octets, now);
    open_.sent(frame.batch);
    actions_.transmit.push_back(std::move(frame));
    first_sent_ = std::min(first_sent_, now);
  }
  if (waiting_.empty()) gathering_ = false;
  if (state() == State::kAttached) actions_.session = session_;
  actions.clear();
  swap(actions, actions_);
}

// ===== the end =====

void Requester::fail_open(const Error& why) {
  waiting_.clear();
  waiting_requests_ = 0;
  gathering_ = false;
  if (open_.size() == 0) return;
  counters_.failed += open_.size();
  OpenRequests::Left left = open_.clear();
  actions_.failed.push_back({why, std::move(left.unsent), std::move(left.unknown)});
}

void Requester::finish(const Error& why, const Error& unanswered) {
  ended_ = why;
  attaching_.stop();
  unreachable_at_ = kNever;
  actions_.attach.reset();
  actions_.ended = why;
  fail_open(unanswered);
}

void Requester::end(TimePoint now) {
  if (ended_) return;
  const Error why{ErrorCode::kTimeout, fmt::format("client {} has shut down", identity_.client)};
  if (state() == State::kAttached) {
    const SessionId session = session_;
    // The confirmation of the last received batch is not due yet. Send it now, so that the manager
    // can forget these outcomes.
    std::vector<session::Frame<RequestBatch>> last = std::exchange(actions_.transmit, {});
    (void)link_->tick(now + limits_.session.confirm_after, last);
    drop_session();
    actions_.session = session;
    actions_.transmit = std::move(last);
    actions_.detach.push_back(session);
  }
  finish(why,
         {why.code, fmt::format("client {} has ended before the answer came", identity_.client)});
}

session::Counters Requester::session_counters() const {
  session::Counters sum = earlier_sessions_;
  if (link_) add(sum, link_->counters());
  return sum;
}

Requester::State Requester::state() const {
  if (ended_) return State::kEnded;
  switch (attaching_.state()) {
    case Attaching::State::kIdle: return State::kIdle;
    case Attaching::State::kWaiting: return State::kBackingOff;
    case Attaching::State::kAttempting: return State::kAttaching;
    case Attaching::State::kAttached: return State::kAttached;
  }
  return State::kIdle;
}

std::string_view to_string(Requester::State state) {
  switch (state) {
    case Requester::State::kIdle: return "idle";
    case Requester::State::kAttaching: return "attaching";
    case Requester::State::kBackingOff: return "backing off";
    case Requester::State::kAttached: return "attached";
    case Requester::State::kEnded: return "ended";
  }
  return "?";
}

}  // namespace xbind::client
