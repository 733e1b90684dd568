// A program that is a client of a manager: it asks for calls, changes and releases them, and judges
// every outcome (judge.cpp). Between it and its manager is a client::Requester, as in every
// program. The world carries what the Requester wants, or loses it.
//
//   its session is lost   the Requester attaches again in the same epoch and repeats by itself
//   requests fail         the Requester has had no session for too long: the program repeats them
//                         under their numbers when the Requester takes requests again
//   the program dies      or ends in order, or is suspended; its next life has a Requester of its
//                         own with a higher epoch, and repeats what it had written down and has no
//                         outcome of, under the old numbers (decision 0033)
//
// Now and then the program says a request again, and the world says one twice in a batch.
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
    // on_attached() or on_attach_failed() follows, or nothing.
    std::function<void(const client::Attach&)> attach;
    std::function<void(SessionId)> detach;
    std::function<void(Call&)> up;  // a call has become one that the client relies on
    std::function<void(Call&)> held;
  };

  Client(Surroundings& world, std::string name, const client::Limits& limits, Hooks hooks)
      : world_(world), name_(std::move(name)), limits_(limits), hooks_(std::move(hooks)) {}

  const std::string& name() const { return name_; }
  // 0: none.
  SessionId session() const { return requester_ ? requester_->session() : SessionId{}; }

  void start() { begin_life(); }
  // The program dies, ends in order or is suspended. Its next life begins after a while; notices
  // get lost meanwhile.
  void die(Duration for_how_long);
  // The manager of that epoch has been killed; what it has sent may still arrive. `for_good`:
  // nobody will ever answer. `contracts_known`: no hop was owed another contract.
  void orphaned(Epoch manager, bool for_good, bool contracts_known);

  // The request's number is filled in. What the Requester refuses has not been asked for.
  void connect(ConnectRequest wanted);
  void release(Call& call);
  void modify(Call& call, const ServiceSpec& service, const std::optional<ServiceSpec>& reverse);
  void leaf(Call& call, const std::string& end, bool drop);
  void commit(Call& call);
  // About no call of ours: whatever it is, it must not be done.
  void ask_nonsense(cmgr::RequestBody body);

  // The answer to an attempt to attach.
  void on_attached(const client::Attach& attempt, SessionId session, std::uint32_t window);
  void on_attach_failed(const client::Attach& attempt, const Error& error);
  void on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame);
  // The manager says so.
  void on_session_ended(SessionId session, std::string_view why);
  // The connection to the manager has broken.
  void on_session_failed(SessionId session);
  void tick();
  TimePoint next_deadline() const;

  std::map<RequestId, Call>& calls() { return calls_; }
  const std::map<RequestId, Call>& calls() const { return calls_; }
  std::size_t unanswered() const;
  // Its session, or its manager's memory, has been lost since: what was asked was asked again.
  bool was_away_since(TimePoint when) const { return last_lost_ >= when; }
  // Adds the counters of this life to the tally, when nothing more will happen in it.
  void add_up();

 private:
  void begin_life();
  // Nothing: the Requester has refused it, or the program does not run.
  std::optional<RequestId> ask(cmgr::RequestBody body, Call* call);
  Result<RequestId> submit(const cmgr::RequestBody& body, RequestId request);
  void repeat_unanswered();
  void say_again(RequestId request);
  void finish_step();
  void transmit();
  void say_twice(session::Frame<RequestBatch>& frame);
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
  void wrong(const Outcome& outcome, std::string_view why);
  // Whether what is heard now was said by a manager that has been killed.
  bool hears_the_dead() const;

  Surroundings& world_;
  std::string name_;
  client::Limits limits_;
  Hooks hooks_;

  // A life of the program.
  Epoch epoch_;
  std::unique_ptr<client::Requester> requester_;  // null: the program does not run
  client::Actions actions_;
  bool ending_ = false;         // in order
  bool numbers_go_on_ = false;  // the Requester knows the highest number
  std::uint64_t said_again_ = 0;
  SessionId hears_in_;  // the session of the frame in hand

  // An earlier life that was suspended; null: none. It wakes when the next one has attached.
  std::unique_ptr<client::Requester> former_;
  Epoch former_epoch_;
  bool former_awake_ = false;  // or will be at former_wakes_
  TimePoint former_wakes_;

  // What the program has written down.
  std::uint64_t next_request_ = 1;
  std::map<RequestId, Asked> asked_;
  std::map<RequestId, Call> calls_;  // by their setup
  std::set<RequestId> to_repeat_;    // without an outcome; the Requester does not have them

  TimePoint last_lost_{};        // when it last lost a session
  bool gone_ = false;            // with its manager
  Epoch dead_manager_;           // the last one that was killed; 0: none
  bool contracts_known_ = true;  // when that was killed
  bool has_lost_sessions_ = false;
  std::map<ConnectionId, Notice> early_;  // about connections that it does not know yet
};

}  // namespace xbind::sim
