// The clients of a manager: their sessions, their queued outcomes, and the memory of requests that
// makes a repeated request harmless.
//
// A client is a name. Its session may end and a new one begin (higher epoch); the outcomes of
// requests under way go to the present session of the name. A client that does not return is
// forgotten when its last request has been answered and attached_max others have left unconfirmed
// outcomes after it. Its connections stay (media outlive signalling).
//
// A client repeats a request only in a new session, because a session loses nothing. A session is
// sent the outcomes of the requests that it carried. A request of an earlier session is answered
// when the client repeats it, since its number may mean another request by now.
//
// A number belongs to a client and its epoch; a request is identified by its number and its content
// (decision 0033). The same content under a remembered number is a repeat, in any epoch, and gets
// the same outcome. Different content is a new request if the remembered one is answered and of an
// earlier epoch: the client has restarted and numbers from 1 again. Otherwise it is refused with a
// named cause.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/events/event_log.hpp"
#include "core/flat_map.hpp"
#include "core/line_limits.hpp"
#include "core/pool.hpp"
#include "core/session/session_end.hpp"
#include "core/token_bucket.hpp"

namespace xbind::cmgr {

struct ClientAttachment {
  SessionId session;
  std::uint32_t batches_in_flight = 0;
};

class ClientDesk {
 public:
  // The manager itself, for two-way calls: outcomes go to Peers::local_outcome.
  static constexpr ClientIndex kLocal{0};
  static constexpr Duration kUnheardFor = kManagerTimers["unheard-client"];
  // Outcomes that may wait for a client that does not confirm; at the limit its session is ended.
  static constexpr std::size_t kOutcomesWaiting = 200'000;

  // `times` must outlive the desk.
  ClientDesk(const Config& config, Peers& peers, CallTimes& times);
  ClientDesk(const ClientDesk&) = delete;
  ClientDesk& operator=(const ClientDesk&) = delete;
  ~ClientDesk();

  // Reports every session that begins or ends to `events`, which must outlive the desk.
  void report_sessions(EventLog& events) { events_ = &events; }

  // By how much an epoch that this manager has not given out may exceed the newest one of its name
  // that counts, to count itself. A higher one fences off nothing but its like, as long as its
  // session lasts: nobody can use up a client's epochs, or keep it out.
  static constexpr std::uint64_t kEpochStepMax = std::uint64_t{1} << 20;
  // An epoch for a program of that name that starts, above the newest one that counts; a different
  // one for each call. kBadInput: no valid name.
  Result<Epoch> new_epoch(const std::string& name);

  // kFenced: a higher epoch of the name counts. kBadInput: no valid name. kExhausted:
  // attached_max clients are attached. Before that, the session of the client that has sent nothing
  // since it attached, for longest and at least kUnheardFor, ends in favour of the new one: clients
  // that attach and vanish do not keep others out.
  Result<ClientAttachment> attach(const std::string& name, Epoch epoch, TimePoint now);
  void detach(SessionId session);
  // Ends every session and notifies its client that this process ends. Connections stay.
  void end_all();

  // Appends the batches that the frame brings into order to `apply`, and returns their client.
  // kNotFound: no such session (any more). kProtocol: the client broke the protocol, and its
  // session has been ended.
  Result<ClientIndex> receive(SessionId session, session::Frame<RequestBatch> frame, TimePoint now,
                              std::vector<std::shared_ptr<const RequestBatch>>& apply);

  enum class Admission { kNew, kRepeated, kTooMany, kOther, kOtherUnderWay };
  // kRepeated: known already; if answered, the outcome has been queued again. kTooMany: of the
  // client, ClientLimits::requests_max requests await their outcome or its confirmation. kOther:
  // the number belongs to another request of this epoch. kOtherUnderWay: the number belongs to a
  // request of an earlier epoch that is not yet answered. `digest` stands for the content
  // (request_digest.hpp).
  Admission admit(ClientIndex client, RequestId request, std::uint64_t digest);

  // Whether the client may begin another setup at this rate; counts it.
  bool may_set_up(ClientIndex client, double per_s, TimePoint now) {
    return clients_[client.value()]->setups.take(per_s, now);
  }

  // If true, call keep_repeated() for each request of a batch before admitting the batch. A repeat
  // of a request left over from an earlier session is then tied to this one, so that no other
  // request of the batch evicts it.
  bool has_left_over(ClientIndex client) const {
    return !clients_[client.value()]->left_over.empty();
  }
  void keep_repeated(ClientIndex client, RequestId request, std::uint64_t digest);

  // Queues the one outcome of an admitted request; `times` ends when the outcome is passed to the
  // session. If the client is not attached, `times` ends now and is not counted.
  void answer(ClientIndex client, Outcome&& outcome, TimesIndex times = kNotTimed);
  // Queues the outcome of a request that was not admitted. An outcome remembered under its number
  // stays.
  void answer_unremembered(ClientIndex client, Outcome&& outcome);

  // Queues a notice about one of the client's connections. Of several queued notices of one
  // connection only the last is sent; none is kept while the client is not attached.
  void notify(ClientIndex client, Notice notice);

  // The remembered outcome of a request; nullopt while it is under way or once it is forgotten.
  std::optional<Outcome> outcome_of(const std::string& client, RequestId request) const;

  // Adds `change` to the number of connections owned; while it is above 0 the client keeps its
  // slot, because its name is part of every hop record.
  void owns(ClientIndex client, int change);

  // --- calls of earlier epochs of this manager
  // The client of that name, known or new and not attached; `epoch` is one that it has had.
  ClientIndex remember_client(const std::string& name, Epoch epoch);
  // The client of that name, if it is known.
  std::optional<ClientIndex> find(const std::string& name) const {
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return std::nullopt;
    return known->second;
  }
  // The client's request of that number, in that epoch of the client, has set up the connection: if
  // the client repeats it, it has no outcome yet.
  void remember_request(ClientIndex client, Epoch epoch, RequestId request, ConnectionId made);
  // The connection that the request has set up, as long as the client is in the same epoch.
  std::optional<ConnectionId> remembered_request(ClientIndex client, RequestId request) const;
  // The connection is gone.
  void forget_request(ClientIndex client, RequestId request) {
    auto& remembered = clients_[client.value()]->remembered;
    if (!remembered.empty()) remembered.erase(request);
  }

  void flush(TimePoint now);  // sends queued outcomes if there is credit
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // A client, attached or with connections or requests.
  struct Known {
    std::string name;
    ClientIndex index;
    Epoch epoch;
    SessionId session;  // 0: not attached
    std::size_t under_way = 0;
    std::optional<SessionEnding> ended;  // of its last session before this one
  };
  // In the order of names, the first `limit` above `after`.
  std::vector<Known> page(const std::string& after, std::size_t limit) const;

  // Visits each client that is not attached: visit(name, index).
  template <class Visitor>
  void for_each_gone(Visitor&& visit) const {
    for (std::size_t i = 1; i < clients_.size(); ++i) {  // [0] is kLocal
      if (!clients_[i] || clients_[i]->link) continue;
      visit(clients_[i]->name, ClientIndex{static_cast<ClientIndex::rep>(i)});
    }
  }
  const std::string& name(ClientIndex client) const { return clients_[client.value()]->name; }
  // The epoch under which the client has attached last; 0 for the manager itself.
  Epoch epoch(ClientIndex client) const { return clients_[client.value()]->epoch; }
  std::size_t attached() const { return by_session_.size(); }

  struct Counters {
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t repeated_requests = 0;
    std::uint64_t sessions_lost = 0;  // timed out, or ended for breaking the protocol
    std::uint64_t displaced = 0;      // ended unheard, in favour of another client
    std::uint64_t unknown_session = 0;
    std::uint64_t notices = 0;
    std::uint64_t notices_lost = 0;  // the client was not attached
  };
  const Counters& counters() const { return counters_; }

 private:
  using ClientSession = session::Session<OutcomeBatch, RequestBatch>;
  struct Request {
    Request(SessionId session, std::uint64_t content) : asked_in(session), digest(content) {}

    SessionId asked_in;     // the last session in which the client sent it
    std::uint64_t digest;   // of its content
    bool answered = false;  // else it is under way
    Outcome outcome{};
  };
  struct Client {
    std::string name;
    Epoch epoch;            // of the present or the last session
    Epoch newest;           // the highest that counts
    SessionId session;      // 0: not attached
    SessionId epoch_since;  // the first session of this epoch; later sessions have higher numbers
    std::unique_ptr<ClientSession> link;
    std::vector<Outcome> waiting;
    std::vector<TimesIndex> waiting_times;             // parallel to `waiting`
    std::size_t outcomes_expected = 0;                 // the number of outcomes in the last batch
    std::unordered_map<ConnectionId, Notice> notices;  // queued; at most one per connection
    // Requests whose outcome the client has not confirmed.
    FlatMap<RequestId, Request*> requests;
    // The subset answered in sessions that are over, lowest first. They are forgotten when room is
    // needed, because the client may never repeat them.
    std::deque<RequestId> left_over;
    // The requests that set up connections in earlier epochs of the manager. Never more than
    // connections.
    struct Remembered {
      ConnectionId connection;
      Epoch epoch;  // of the client
    };
    std::unordered_map<RequestId, Remembered> remembered;
    std::size_t under_way = 0;
    std::optional<SessionEnding> ended;  // the last session before this one
    TokenBucket setups;
    std::uint64_t connections = 0;
    bool dirty = false;  // listed in dirty_

    // Whether this epoch fences off lower ones, also when its session is over. `given_out`: no
    // epoch that this manager has given out is as high.
    bool counts(Epoch asked, std::uint64_t given_out) const;
    // Not attached, nothing under way, and nothing owned.
    bool done() const { return !link && under_way == 0 && connections == 0; }
  };

  ClientIndex add(const std::string& name);
  // Ends the session of the client unheard for longest. False: there is none to end.
  bool displace_unheard(TimePoint now);
  void end_session(Client& client, const SessionEnding& ending);
  void wait_for_credit(ClientIndex index, Outcome&& outcome, TimesIndex times);
  // Forgets the request if it was remembered.
  void drop(Client& client, RequestId request);
  void forget_if_done(ClientIndex index);
  void forget(ClientIndex index);
  void mark_dirty(ClientIndex index);
  void transmit(Client& client, session::Frame<OutcomeBatch> frame);

  const Config& config_;
  Peers& peers_;
  CallTimes& times_;
  Pool<Request> requests_;                        // of all clients
  std::vector<std::unique_ptr<Client>> clients_;  // [0] is kLocal; null: free slot
  std::vector<ClientIndex> free_slots_;
  std::unordered_map<std::string, ClientIndex> by_name_;
  std::unordered_map<SessionId, ClientIndex> by_session_;
  std::map<SessionId, TimePoint> unheard_;  // since when; the subset that has sent nothing
  std::vector<ClientIndex> dirty_;          // have outcomes waiting
  std::deque<ClientIndex> departed_;  // done except for unconfirmed outcomes; at most attached_max
  std::uint64_t next_session_ = 1;
  Counters counters_;
  MinuteLog unknown_log_;
  EventLog* events_ = nullptr;
};

}  // namespace xbind::cmgr
