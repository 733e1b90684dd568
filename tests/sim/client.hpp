// A program that is a client of a manager. It sets up, changes and releases calls and judges every
// outcome (judge.cpp). As in every program, a client::Requester stands between it and its manager.
// The world carries the Requester's batches, or loses them.
//
//   session lost    the Requester attaches again in the same epoch and repeats its requests
//   requests fail   the Requester has had no session for too long: the program repeats the requests
//                   under their numbers when the Requester accepts requests again
//   program dies    (or ends in order, or is suspended) its next life has a new Requester, which
//                   gets a higher epoch from the manager. It repeats every stored request that has
//                   no outcome, under the old number (decision 0033).
//
// Sometimes the program submits a request again, and the world puts a request into a batch twice.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "client/requester.hpp"
#include "cmgr/parts/client_desk.hpp"
#include "tests/sim/calls.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

// Every counter of a Requester and of its sessions, with its name in the tally.
template <class Counters>
struct CounterRow {
  const char* name;
  std::uint64_t Counters::*counter;
};
using OfRequester = client::Requester::Counters;
inline constexpr CounterRow<OfRequester> kRequesterCounters[] = {
    {"requester: submitted", &OfRequester::submitted},
    {"requester: refused", &OfRequester::refused},
    {"requester: answered", &OfRequester::answered},
    {"requester: failed", &OfRequester::failed},
    {"requester: repeated", &OfRequester::repeated},
    {"requester: unknown outcomes", &OfRequester::unknown_outcomes},
    {"requester: notices", &OfRequester::notices},
    {"requester: stale messages", &OfRequester::stale_messages},
    {"requester: attached", &OfRequester::attached},
    {"requester: attach failures", &OfRequester::attach_failures},
    {"requester: sessions lost", &OfRequester::sessions_lost},
};
inline constexpr CounterRow<session::Counters> kRequesterBatches[] = {
    {"requester: batches sent", &session::Counters::sent},
    {"requester: batches resent", &session::Counters::resent},
    {"requester: batches applied", &session::Counters::applied},
    {"requester: batches repeated", &session::Counters::repeated},
    {"requester: batches held back", &session::Counters::held_back},
};
static_assert(sizeof(OfRequester) == std::size(kRequesterCounters) * sizeof(std::uint64_t) &&
                  sizeof(session::Counters) == std::size(kRequesterBatches) * sizeof(std::uint64_t),
              "a counter has no row");

class Client {
 public:
  struct Hooks {
    std::function<void(SessionId, session::Frame<RequestBatch>)> transmit;
    // Followed by on_attached(), on_attach_failed(), or nothing when the message is lost.
    // `life`: number of the life that attaches.
    std::function<void(const client::Attach&, std::uint64_t life)> attach;
    std::function<void(SessionId)> detach;
    std::function<void(Call&)> up;  // a call is up: the client relies on it
    std::function<void(Call&)> held;
  };

  Client(Surroundings& world, std::string name, const client::Limits& limits, Hooks hooks)
      : world_(world), name_(std::move(name)), limits_(limits), hooks_(std::move(hooks)) {}

  const std::string& name() const { return name_; }
  // 0: no session.
  SessionId session() const { return requester_ ? requester_->session() : SessionId{}; }

  void start() { begin_life(); }
  // The program dies, ends in order or is suspended. Its next life begins after `for_how_long`;
  // notices sent meanwhile are lost.
  void die(Duration for_how_long);
  // The manager of that epoch was killed; batches that it sent may still arrive. It comes back with
  // its calls.
  void manager_killed();
  // The same, and no manager will ever answer. `contracts_known`: no hop was owed a change of
  // contract.
  void orphaned(Epoch manager, bool contracts_known);
  // Whether the request is known to have been refused, or its call to be over.
  bool is_over(RequestId setup) const;
  // Another life of that name has attached, or is about to: the manager may carry out again what
  // this one has asked for and has no outcome of (decision 0033).
  void another_life();
  // Whether the request may have been carried out for two lives.
  bool asked_twice(RequestId request) const;

  // The client assigns the request's number. A request that the Requester refuses does not count.
  void connect(ConnectRequest wanted);
  void release(Call& call);
  void modify(Call& call, const ServiceSpec& service, const std::optional<ServiceSpec>& reverse);
  void leaf(Call& call, const std::string& end, bool drop);
  void commit(Call& call);
  // A request about no call of this client. The manager must refuse it.
  void send_nonsense(cmgr::RequestBody body);

  // Answers to an attempt to attach.
  void on_attached(std::uint64_t life, const client::Attach& attempt,
                   const cmgr::ClientAttachment& attachment);
  void on_attach_failed(std::uint64_t life, const client::Attach& attempt, const Error& error);
  void on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame);
  // The manager has ended the session.
  void on_session_ended(SessionId session, std::string_view why);
  // The connection to the manager has broken.
  void on_session_failed(SessionId session);
  void tick();
  TimePoint next_deadline() const;

  std::map<RequestId, Call>& calls() { return calls_; }
  const std::map<RequestId, Call>& calls() const { return calls_; }
  std::size_t unanswered() const;
  // A session of this client, or its manager's memory, was lost since `when`, so requests were
  // repeated.
  bool was_away_since(TimePoint when) const { return last_lost_ >= when; }
  // Adds this life's counters to the tally. Call it when the life is over.
  void add_up();

 private:
  void begin_life();
  // Returns nothing when the Requester refuses the request or the program does not run.
  std::optional<RequestId> ask(cmgr::RequestBody body, Call* call);
  Result<RequestId> submit(const cmgr::RequestBody& body, RequestId request);
  void repeat_unanswered();
  void say_again(RequestId request);
  void finish_step();
  void transmit();
  void duplicate_request(session::Frame<RequestBatch>& frame);
  void step_former();
  void lose_notices();

  // judge.cpp
  void judge(const Outcome& outcome);
  void judge_first(Asked& asked, const Outcome& outcome);
  void judge_repeats(const OutcomeBatch& batch);
  void judge(const client::Failure& failure);
  void judge(const client::SessionChange& change);
  void hear(const Notice& notice);
  void believe(Call& call, const ConnectRequest& asked, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const ReleaseRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const ModifyRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const LeafRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const CommitRequest& request, const Outcome& outcome);
  void comes_up(Call& call, const Outcome& outcome);
  void check_frames(const ConnectRequest& asked, const Outcome& outcome);
  void wrong(const Outcome& outcome, std::string_view why);
  void note(const std::string& what) const;  // in the log
  // Whether the batch being handled was sent by a manager that has been killed.
  bool from_dead_manager() const;

  Surroundings& world_;
  std::string name_;
  client::Limits limits_;
  Hooks hooks_;

  // One life of the program.
  std::uint64_t life_ = 0;
  std::unique_ptr<client::Requester> requester_;  // null: the program does not run
  client::Actions actions_;
  bool ending_ = false;         // it is ending in order
  bool numbers_go_on_ = false;  // the Requester has seen the highest number used so far
  std::uint64_t resubmitted_ = 0;
  SessionId receiving_session_;  // session of the frame being handled

  // The earlier life if it was suspended, else null. It wakes after the next life has attached.
  std::unique_ptr<client::Requester> former_;
  std::uint64_t former_life_ = 0;
  bool former_awake_ = false;  // or wakes at former_wakes_
  TimePoint former_wakes_;

  // What the program has stored.
  std::uint64_t next_request_ = 1;
  std::map<RequestId, Asked> asked_;
  std::map<RequestId, Call> calls_;  // by their setup
  std::set<RequestId> to_repeat_;    // no outcome yet, and the Requester does not have them

  TimePoint last_lost_{};  // when it last lost a session
  bool gone_ = false;      // its manager was killed for good
  bool manager_came_back_ = false;
  Epoch dead_manager_;           // the last one that was killed; 0: none
  bool contracts_known_ = true;  // when dead_manager_ was killed
  bool has_lost_sessions_ = false;
  std::map<ConnectionId, Notice> early_;  // notices about connections whose outcome has not arrived
};

}  // namespace xbind::sim
