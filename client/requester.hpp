// One client of one ConnectionManager. Attaches, sends requests in batches over a session, and
// answers each request exactly once, whatever messages are lost (docs/invariants.md, 4 and 5).
//
//   requests ──▶ gathered ──▶ sent in a session ──▶ answered
//                   ▲                │ the session is lost
//                   └────────────────┘ repeated in the next session, under the same number
//
// A step function: the owner passes in events and flush() returns actions. No clock, no transport,
// no thread. A step of the owner:
//
//   requester.receive(session, frame, now);    // any number of events
//   requester.tick(now);                       // if next_deadline() has come
//   requester.flush(now, actions);             // always, at the end of the step
//   ... perform the actions, in the order in which struct Actions lists them ...
//
// States and transitions:
//
//             start()                  attached()
//   kIdle ──────────────▶ kAttaching ──────────────────▶ kAttached
//                          ▲      │ attach_failed(),         │ lease over, protocol broken,
//          back-off over   │      ▼ no answer in time        │ sending failed, manager silent,
//                         kBackingOff ◀──────────────────────┘ session_ended()
//
//   any state ──▶ kEnded: end(), or a permanent failure: fenced off by a newer epoch, another
//                 protocol version, an invalid name; every failure if Limits::reattach is false
//
// Every session of one Requester has the same epoch: the one that was given, or the one that the
// manager has given out for its first session. So the manager recognises a repeated request
// and answers with the same outcome (decision 0033). A restarted manager answers a repeated setup
// or release from the ledgers of the SwitchServers (decision 0057); it makes a repeated change
// again.
//
// Threads: one at a time, the one that runs the owner's logic. Pure.
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

// The client and its manager. `client` is a name (core/name.hpp). A restarted program must use a
// higher epoch, because its request numbers begin at 1 again.
struct Identity {
  std::string client;
  std::string manager;  // for error texts only
  Epoch epoch{};        // 0: the manager's next one, for the whole life of the Requester
};

class Requester {
 public:
  enum class State : std::uint8_t { kIdle, kAttaching, kBackingOff, kAttached, kEnded };

  // The limits must be in their ranges (client/limits.hpp).
  Requester(Identity identity, const Limits& limits);

  // Call it once, before any other event.
  void start(TimePoint now);

  // ===== requests =====

  // Accepts a request and returns its number: the caller's own, or the next free one if `request`
  // in it is 0. Own numbers begin at 1, may come in any order, and must not be used for two
  // requests (decision 0033). A failed request may be submitted again under its number, in this run
  // of the program or a later one.
  //
  // A request whose number is already open is accepted and not sent: the answer of the first one
  // answers it too. The session repeats the first one until it arrives. A second one might arrive
  // after the outcome was confirmed, and the manager would execute it again.
  //
  // Refusals: kExhausted: Limits::open_max requests have no answer yet, or the numbers are used up;
  // kUnreachable: there has been no session for Limits::reach_within; or the error that ended the
  // client. A refused request changes nothing.
  Result<RequestId> submit(Request request);
  // Accepts a batch with the caller's numbers, as one message; copies it only if a number in it is
  // already open. The batch is accepted or refused as a whole; if refused, it is unchanged. Also
  // kBadInput: a number is 0, or the batch is empty or has more than Limits::requests_per_batch
  // requests.
  Result<void> submit(RequestBatch&& batch);

  // ===== events =====

  // The result of an Attach action. `window`: batches_in_flight of the manager's answer; `epoch`:
  // with which the owner has attached. The result of an earlier attempt is ignored.
  void attached(std::uint64_t attempt, SessionId session, std::uint32_t window, Epoch epoch,
                TimePoint now);
  void attach_failed(std::uint64_t attempt, const Error& error, TimePoint now);
  // A message of the manager. If it belongs to another session, it is counted and dropped.
  void receive(SessionId session, session::Frame<OutcomeBatch> frame, TimePoint now);
  // The session cannot continue: a frame could not be sent, or could not be understood.
  void session_failed(SessionId session, const Error& error, TimePoint now);
  // The manager has ended the session. `why`: a sentence.
  void session_ended(SessionId session, std::string_view why, TimePoint now);
  // Time has passed; next_deadline() may have been reached.
  void tick(TimePoint now);
  // Ends in order: confirms received batches, detaches, and fails unanswered requests (kTimeout).
  // Connections stay. Final; a second call does nothing.
  void end(TimePoint now);

  // Sends gathered requests as far as the credit allows, and moves all pending actions into
  // `actions`, which is cleared first and keeps its memory.
  void flush(TimePoint now, Actions& actions);
  // When tick() has something to do next.
  TimePoint next_deadline() const;

  // ===== status =====

  State state() const;
  // 0: no session.
  SessionId session() const { return session_; }
  // 0: it has none yet.
  Epoch epoch() const { return identity_.epoch; }
  // open(): unanswered requests. waiting(): requests and repeats that are not sent yet, because
  // there is no session or no credit.
  std::size_t open() const { return open_.size(); }
  std::size_t waiting() const { return waiting_requests_; }
  // Whether any message has arrived in the present session.
  bool heard() const { return heard_; }
  // Why the client has ended; nullopt before.
  const std::optional<Error>& ended() const { return ended_; }
  // Why the latest attempt to attach failed, or the latest session was lost.
  const Error& last_failure() const { return last_failure_; }

  struct Counters {
    std::uint64_t submitted = 0;         // accepted requests, including the caller's repeats
    std::uint64_t refused = 0;           // requests that were not accepted
    std::uint64_t answered = 0;          // by an outcome
    std::uint64_t failed = 0;            // without one
    std::uint64_t repeated = 0;          // sent again in a later session
    std::uint64_t unknown_outcomes = 0;  // outcomes of requests that are not open, mostly repeats
    std::uint64_t notices = 0;
    std::uint64_t stale_messages = 0;  // of another session or an earlier attempt
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
  // Ends the client if this failure permits no further attempt; true: it has ended.
  bool finish_if_final(const Error& why);
  void lose(const Error& why, TimePoint now);
  // `unanswered`: why open requests get no answer.
  void finish(const Error& why, const Error& unanswered);
  void fail_open(const Error& why);
  void drop_session();
  // Returns the new part of the batch; nullptr if there is none.
  std::shared_ptr<const OutcomeBatch> new_part_of(const std::shared_ptr<const OutcomeBatch>& batch);
  // When the manager's silence becomes too long; kNever: a message arrived, or nothing was sent.
  TimePoint silence_ends() const;

  Identity identity_;
  Limits limits_;
  std::optional<Error> ended_;

  // Requests.
  std::uint64_t next_number_ = 1;  // 0: used up
  OpenRequests open_;              // at most limits_.open_max
  BatchQueue waiting_;             // at most 2 * limits_.open_max requests: open ones and repeats
  std::size_t waiting_requests_ = 0;
  bool gathering_ = false;  // waiting_.back() accepts more single requests

  // Attaching.
  Attaching attaching_;
  TimePoint unreachable_at_ = kNever;  // requests are refused from then on; kNever while attached
  std::optional<Error> unreachable_;   // set while they are refused: the reason
  Error last_failure_{ErrorCode::kUnreachable, "no attempt to attach has been answered yet"};

  // The session. link_ exists in state kAttached only.
  std::unique_ptr<Link> link_;
  SessionId session_;
  // The manager has ended this session before attached() reported it.
  SessionId ended_early_;
  TimePoint first_sent_ = kNever;
  bool heard_ = false;

  Actions actions_;
  std::vector<std::shared_ptr<const OutcomeBatch>> in_order_;  // kept to reuse its memory
  Counters counters_;
  session::Counters earlier_sessions_;
};

std::string_view to_string(Requester::State state);

}  // namespace xbind::client
