// The clients of a manager: their sessions, the outcomes that wait for them, and the memory that makes
// a repeated request harmless.
//
// A client is a name. Its session may end and a new one begin (higher epoch); the outcomes of requests
// under way go to whatever session the name has then. A client that has gone for good is forgotten
// when its last request has been answered and its unconfirmed outcomes have become the oldest of
// clients_max such; its connections stay (media outlive signalling).
//
// A client repeats a request in a new session only (within one, nothing gets lost). A session is
// sent the outcomes of the requests that it has made. A request of an earlier session is
// answered when it is repeated: its number may mean another request by now.
//
// A number belongs to a client and its epoch, a request to its number and its content (decision
// 0033). The same content under a remembered number is a repeat, in any epoch, and gets the same
// outcome. Another content is a new request if the remembered one is answered and of an earlier
// epoch: the client has started anew and numbers from 1 again. Else it is refused by name.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/peers.hpp"
#include "core/flat_map.hpp"
#include "core/pool.hpp"
#include "core/session/session_end.hpp"

namespace xbind::cmgr {

struct ClientAttachment {
  SessionId session;
  std::uint32_t batches_in_flight = 0;
};

class ClientDesk {
 public:
  // The manager itself, for two-way calls: outcomes go to Peers::local_outcome.
  static constexpr ClientIndex kLocal{0};
  // Outcomes that may wait for a client that does not confirm; then its session is ended.
  static constexpr std::size_t kOutcomesWaiting = 200'000;

  // `times` outlives the desk.
  ClientDesk(const Config& config, Peers& peers, CallTimes& times);
  ClientDesk(const ClientDesk&) = delete;
  ClientDesk& operator=(const ClientDesk&) = delete;
  ~ClientDesk();

  // kFenced: a higher epoch of the name is attached. kExhausted: clients_max are. kBadInput: no name.
  Result<ClientAttachment> attach(const std::string& name, Epoch epoch, TimePoint now);
  void detach(SessionId session);
  // Ends every session and tells its client that this process ends. Connections stay.
  void end_all();

  // The batches that a frame brings into order, and whose they are. kNotFound: no such session (any
  // more). kProtocol: the client broke the protocol, its session has been ended.
  Result<ClientIndex> receive(SessionId session, session::Frame<RequestBatch> frame, TimePoint now,
                              std::vector<std::shared_ptr<const RequestBatch>>& apply);

  enum class Admission { kNew, kRepeated, kTooMany, kOther, kOtherUnderWay };
  // kRepeated: known already; if answered, the outcome has been queued once more. kTooMany: as many
  // as config.requests_per_client wait for their outcome or for its confirmation. kOther: the
  // number is another request's of this epoch. kOtherUnderWay: of an earlier epoch, and that is not
  // answered yet. `digest` stands for the content (request_digest.hpp).
  Admission admit(ClientIndex client, RequestId request, std::uint64_t digest);

  // Before a batch is admitted: a repeat of what an earlier session has left over is asked for in this
  // one, so that no other request of the batch takes its room.
  bool has_left_over(ClientIndex client) const {
    return !clients_[client.value()]->left_over.empty();
  }
  void keep_repeated(ClientIndex client, RequestId request, std::uint64_t digest);

  // The one outcome of an admitted request, whose times end when it is handed over; nobody being
  // attached, now and for nothing.
  void answer(ClientIndex client, Outcome&& outcome, TimesIndex times = kNotTimed);
  // The outcome of a request that was not admitted. What is remembered under its number stays.
  void answer_unremembered(ClientIndex client, Outcome&& outcome);

  // What happened to one of the client's connections. Of several of one connection that wait the last is
  // told; while the client is not attached, none.
  void notify(ClientIndex client, Notice notice);

  // The outcome of a request that is remembered; nothing while it is under way, or forgotten.
  std::optional<Outcome> outcome_of(const std::string& client, RequestId request) const;

  // Connections owned keep a client's slot (its name is part of every hop record).
  void owns(ClientIndex client, int change);

  void flush(TimePoint now);  // sends what waits, credit permitting
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  const std::string& name(ClientIndex client) const { return clients_[client.value()]->name; }
  // The newest under which it has attached; 0 of the manager itself.
  Epoch epoch(ClientIndex client) const { return clients_[client.value()]->epoch; }
  std::size_t attached() const { return by_session_.size(); }

  struct Counters {
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t repeated_requests = 0;
    std::uint64_t sessions_lost = 0;  // given up or ended for breaking the protocol
    std::uint64_t unknown_session = 0;
    std::uint64_t notices = 0;
    std::uint64_t notices_lost = 0;  // nobody was attached
  };
  const Counters& counters() const { return counters_; }

 private:
  using ClientSession = session::Session<OutcomeBatch, RequestBatch>;
  struct Request {
    Request(SessionId session, std::uint64_t content) : asked_in(session), digest(content) {}

    SessionId asked_in;     // the last session in which the client asked for it
    std::uint64_t digest;   // of its content
    bool answered = false;  // else it is under way
    Outcome outcome{};
  };
  struct Client {
    std::string name;
    Epoch epoch;
    SessionId session;      // 0: not attached
    SessionId epoch_since;  // the first session of this epoch; later sessions have higher numbers
    std::unique_ptr<ClientSession> link;
    std::vector<Outcome> waiting;
    std::vector<TimesIndex> waiting_times;             // of the same, one for one
    std::size_t outcomes_expected = 0;                 // as many as were in the last batch
    std::unordered_map<ConnectionId, Notice> notices;  // wait; at most one of each connection
    // Requests whose outcome the client has not confirmed.
    FlatMap<RequestId, Request*> requests;
    // Of them, those answered in sessions that are over, lowest first: forgotten when room is needed,
    // for perhaps nobody ever asks again.
    std::deque<RequestId> left_over;
    std::size_t under_way = 0;
    std::uint64_t connections = 0;
    bool dirty = false;  // in dirty_
  };

  void end_session(Client& client, const SessionEnding& ending);
  void wait_for_credit(ClientIndex index, Outcome&& outcome, TimesIndex times);
  // The request is not remembered any more, if it was.
  void drop(Client& client, RequestId request);
  // Nobody attached under the name, nothing under way, nothing owned.
  static bool done(const Client& client);
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
  std::vector<ClientIndex> dirty_;    // have outcomes waiting
  std::deque<ClientIndex> departed_;  // done but for unconfirmed outcomes; at most clients_max
  std::uint64_t next_session_ = 1;
  Counters counters_;
};

}  // namespace xbind::cmgr
