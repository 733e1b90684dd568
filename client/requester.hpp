// One client of one ConnectionManager: attaches, sends requests in batches over a session, and
// answers each request exactly once, whatever gets lost on the way (docs/invariants.md, 4 and 5).
//
//   requests ──▶ gathered ──▶ sent in a session ──▶ answered
//                   ▲                │ the session is lost
//                   └────────────────┘ repeated in the next session, under the same number
//
// A step function: events go in, flush() hands out what is to be done. No clock, no transport, no
// thread. A step of the owner looks like this:
//
//   requester.receive(session, frame, now);    // any number of events
//   requester.tick(now);                       // if next_deadline() has come
//   requester.flush(now, actions);             // always, at the end of the step
//   ... perform the actions, in the order in which struct Actions lists them ...
//
// The states, and what leads from one to the other:
//
//             start()                  attached()
//   kIdle ──────────────▶ kAttaching ──────────────────▶ kAttached
//                          ▲      │ attach_failed(),         │ lease over, protocol broken,
//          back-off over   │      ▼ no answer in time        │ sending failed, manager silent,
//                         kBackingOff ◀──────────────────────┘ session_ended()
//
//   any state ──▶ kEnded: end(), or what cannot be repaired: fenced off by a newer epoch, another
//                 protocol version, a name that is none; every failure if Limits::reattach is false
//
// Every session of one Requester has the same epoch, so that the manager takes a repeated request for
// what it is and answers with the same outcome (decision 0033). A manager that was restarted has lost
// that memory: a request repeated to it is done, even if the earlier life of the manager did it.
//
// Owner and threads: one thread at a time, the one that runs the owner's logic. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/actions.hpp"
#include "client/batch_queue.hpp"
#include "client/limits.hpp"
#include "client/open_requests.hpp"
#include "client/request_batch.hpp"
#include "core/attaching.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/session/session.hpp"

namespace xbind::client {

// Who attaches to whom. `client` is a name (core/name.hpp). A program that starts anew under the name
// comes with a higher epoch, for its request numbers begin at 1 again.
struct Identity {
  std::string client;
  std::string manager;  // for sentences only
  Epoch epoch;
};

class Requester {
 public:
  enum class State : std::uint8_t { kIdle, kAttaching, kBackingOff, kAttached, kEnded };

  // The limits are in their ranges (client/limits.hpp).
  Requester(Identity identity, const Limits& limits);

  // Once, before any other event.
  void start(TimePoint now);

  // ===== requests =====

  // Takes a request and returns its number: the caller's own, or the next free one if `request` in it
  // is 0. Own numbers begin at 1, may come in any order, and none is used for two requests
  // (decision 0033). A request that has failed may be submitted again under its number, in this
  // life of the program or a later one.
  //
  // A request whose number is open already is taken and not sent. The answer of the first one is
  // its answer, too. The session sends the first one until it arrives; a second one might arrive
  // after the outcome was confirmed, and the manager would do it again.
  //
  // Refusals: kExhausted, Limits::open_max requests have no answer yet, or the numbers are used up;
  // kUnreachable, there has been no session for Limits::reach_within; the error that ended the client.
  // A refused request leaves no trace.
  Result<RequestId> submit(Request request);
  // A batch with the caller's numbers, as one message; copied only if a number of it is open
  // already. It is taken whole or refused whole, and then left as it was. Also kBadInput: a number
  // is 0, or the batch is empty or holds more than Limits::requests_per_batch requests.
  Result<void> submit(RequestBatch&& batch);

  // ===== events =====

  // The answer to an Attach action. `window`: batches_in_flight of the manager's answer. An answer
  // to an earlier attempt changes nothing.
  void attached(std::uint64_t attempt, SessionId session, std::uint32_t window, TimePoint now);
  void attach_failed(std::uint64_t attempt, const Error& error, TimePoint now);
  // A message of the manager. Of another session than the present one it is counted and dropped.
  void receive(SessionId session, session::Frame<OutcomeBatch> frame, TimePoint now);
  // The session cannot go on: a frame could not be sent, or what came is not understood.
  void session_failed(SessionId session, const Error& error, TimePoint now);
  // The manager says that it has ended the session. `why`: a sentence.
  void session_ended(SessionId session, std::string_view why, TimePoint now);
  // Time has passed; next_deadline() may have come.
  void tick(TimePoint now);
  // Ends in order: confirms what was received, detaches, and fails what has no answer yet (kTimeout).
  // Connections stay. Final; again: nothing.
  void end(TimePoint now);

  // Sends what was gathered as far as credit reaches, and moves everything that is to be done into
  // `actions`, which is emptied before and keeps its memory.
  void flush(TimePoint now, Actions& actions);
  // When tick() has something to do next.
  TimePoint next_deadline() const;

  // ===== status =====

  State state() const;
  // 0: none.
  SessionId session() const { return session_; }
  // open(): requests without an answer. waiting(): requests and repeats that are not sent yet, for want of a
  // session or of credit.
  std::size_t open() const { return open_.size(); }
  std::size_t waiting() const { return waiting_requests_; }
  // Whether anything has come from the manager in the present session.
  bool heard() const { return heard_; }
  // Why the client has ended; nothing before.
  const std::optional<Error>& ended() const { return ended_; }

  struct Counters {
    std::uint64_t submitted = 0;         // requests taken, repeats of the caller's among them
    std::uint64_t refused = 0;           // not taken
    std::uint64_t answered = 0;          // by an outcome
    std::uint64_t failed = 0;            // without one
    std::uint64_t repeated = 0;          // sent again in a later session
    std::uint64_t unknown_outcomes = 0;  // of requests that are not open: repeats, as a rule
    std::uint64_t notices = 0;
    std::uint64_t stale_messages = 0;  // of another session, or of an earlier attempt to attach
    std::uint64_t attached = 0;
    std::uint64_t attach_failures = 0;
    std::uint64_t sessions_lost = 0;
  };
  const Counters& counters() const { return counters_; }
  // Batches of all sessions together.
  session::Counters session_counters() const;

 private:
  using Link = session::Session<RequestBatch, OutcomeBatch>;

  Result<void> may_take(std::size_t requests);
  void gather(Request request);
  void attach(TimePoint now);
  // Ends the client if no further attempt may follow this failure; true: it has ended.
  bool finish_if_final(const Error& why);
  void lose(const Error& why, TimePoint now);
  void finish(const Error& why);
  void fail_open(const Error& why);
  void drop_session();
  // What of the batch is news: nullptr if nothing is.
  std::shared_ptr<const OutcomeBatch> news_of(const std::shared_ptr<const OutcomeBatch>& batch);
  // When the manager's silence has lasted too long; kNever: it has spoken, or nothing was sent.
  TimePoint silence_ends() const;

  Identity identity_;
  Limits limits_;
  std::optional<Error> ended_;

  // Requests.
  std::uint64_t next_number_ = 1;  // 0: used up
  OpenRequests open_;              // at most limits_.open_max
  BatchQueue waiting_;             // at most 2 * limits_.open_max requests: open ones and repeats
  std::size_t waiting_requests_ = 0;
  bool gathering_ = false;  // waiting_.back() takes more single requests

  // Attaching.
  Attaching attaching_;
  TimePoint unreachable_at_ = kNever;  // from when on requests are refused; kNever while attached
  std::optional<Error> unreachable_;   // they are: why
  Error last_failure_{ErrorCode::kUnreachable, "it was never tried"};

  // The session. link_ is there in state kAttached only.
  std::unique_ptr<Link> link_;
  SessionId session_;
  // The manager has said that this session is over, and attached() has not named it yet.
  SessionId ended_early_;
  TimePoint first_sent_ = kNever;
  bool heard_ = false;

  Actions actions_;
  std::vector<std::shared_ptr<const OutcomeBatch>> in_order_;  // kept for its memory
  Counters counters_;
  session::Counters earlier_sessions_;
};

std::string_view to_string(Requester::State state);

}  // namespace xbind::client
