// A client of a ConnectionManager, for programs. An application includes only this header.
//
//   xbind::client::Client client({.manager = "default", .name_service = "127.0.0.1:2809"});
//   const auto call = client.connect("host-a", "host-b", service);     // waits
//   auto answer = client.submit(xbind::ReleaseRequest{{}, call->connection});   // does not wait
//
// The constructor starts to attach. The client attaches again whenever its session is lost;
// meanwhile requests wait, and requests without an outcome are repeated (see client/requester.hpp).
// Every request gets exactly one answer.
//
// Threads
//   caller's       Any thread may call any function at any time, also from a callback. Exception:
//                  the destructor, which must not run in a callback or while another call runs.
//   callbacks      Runs all callbacks of one Client, one after another. A callback may block and
//                  may use the client; it delays later callbacks, not the client. It must not
//                  throw.
//   two-way calls  Resolves the manager's name, attaches and detaches, so that no other thread
//                  waits for a peer.
//   timers, ORB    Run the logic, one at a time (core/serial.hpp), and fulfil futures.
//
// Ownership
//   The Client owns its session and its observer. It does not own connections: they stay up after
//   the client has ended. A Client with its own ORB must be the only user of omniORB in its
//   process. Otherwise the caller owns the Runtime, which must outlive the Client.
//
// Bounds: Limits::open_max requests without an answer. When as many callbacks wait, further
// requests are refused (kExhausted); at twice as many, notices are dropped and counted.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/answers.hpp"
#include "client/limits.hpp"
#include "client/request_batch.hpp"
#include "client/requester.hpp"
#include "client/timers.hpp"
#include "core/call.hpp"
#include "core/result.hpp"
#include "orb/timers.hpp"

namespace xbind::orb {
class Runtime;
}

namespace xbind::client {

struct Options {
  std::string manager = "default";  // bound as xbind/cmgr/NAME
  // The client's name at the manager (core/name.hpp); empty: "client-" and the process id. Another
  // program that attaches under this name with a higher epoch ends this client (kFenced).
  std::string client{};
  std::string name_service{};  // "host:port"; empty: as omniORB's own tools find it
  // Must be higher than in earlier runs of the program. 0: the manager gives out the next one.
  std::uint64_t epoch = 0;
  // True: a request that is submitted with a number keeps it (Requester::submit), for a program
  // that recognises its connections by the number that list_connections() shows. A number without
  // an answer is refused (kBadInput). False: the client assigns every number.
  bool own_numbers = false;
  // Ranges: client/limits.hpp. A jitter of 0 is replaced by a value that differs between clients.
  // The octet credit is reduced to the capacity of the connection's socket.
  Limits limits{};
  // Longest wait of the functions that wait, 0 to an hour. Should exceed the manager's own timers
  // and Limits::reach_within, so that an answer normally arrives in time.
  Duration answer_within = kClientTimers["answer-within"];

  // For the client's own ORB only.
  std::string listen_address = "127.0.0.1";  // numeric; address at which the manager reaches us
  std::uint32_t call_timeout_ms =
      orb::kOrbTimers.ms("call-timeout-ms").count();  // of a two-way call
};

struct Status {
  Requester::State state = Requester::State::kIdle;
  SessionId session;
  std::size_t open = 0;     // requests without an answer
  std::size_t waiting = 0;  // of these, not sent in this session
  Requester::Counters counters;
  session::Counters batches;
  std::uint64_t notices_dropped = 0;  // no callback was set, or too many waited
};

class Client {
 public:
  using Callback = std::function<void(const Answer&)>;

  // Uses an ORB of its own. If the ORB cannot start, exits the process with a sentence and code 2,
  // as orb::Runtime does. An unreachable manager is no error: the client keeps trying.
  explicit Client(const Options& options);
  // For a process that already has an ORB.
  Client(orb::Runtime& runtime, const Options& options);
  // Ends in order: confirms, detaches, answers open requests with an error (kTimeout) and waits for
  // the callbacks. Takes as long as the two-way calls under way. A request that a callback submits
  // meanwhile is refused, and that request's callback does not run.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Waits for a session. kTimeout: there was none within `patience`, with the failure of the latest
  // attempt in the text; the client keeps trying. Also returns the error that ended the client.
  Result<void> wait_until_attached(Duration patience);

  // ===== without waiting =====

  // Assigns the request's number, unless it has one and Options::own_numbers is set. A request that
  // the client itself refuses is answered at once.
  std::future<Answer> submit(Request request);
  void submit(Request request, Callback callback);

  // Sets the callback for notices and replaces the previous one; empty: none. A notice that is sent
  // while there is no session is lost.
  void on_notice(std::function<void(const Notice&)> callback);
  // Sets the callback for the begin (a value) and the loss (the reason) of sessions. The last call
  // reports the end of the client: it was destroyed or fenced off.
  void on_session(std::function<void(const Result<void>&)> callback);

  // ===== waiting for the outcome =====

  // A refusal is an Error with its cause and numbers in the text (client/answers.hpp). kTimeout: no
  // answer within Options::answer_within; a connection that comes up later is released again.
  Result<Connected> connect(const std::string& from, const std::string& to,
                            const ServiceSpec& service);
  // With all fields of a request, except a hold.
  Result<Connected> connect(ConnectRequest request);
  // Reserves every hop for request.hold_ms and programs no switch; commit() connects the hold.
  Result<ConnectionId> hold(ConnectRequest request);
  Result<Connected> commit(ConnectionId connection);
  Result<void> release(ConnectionId connection);
  // Changes the contract. If it is refused, the old contract remains.
  Result<void> modify(ConnectionId connection, const ServiceSpec& service,
                      const std::optional<ServiceSpec>& reverse = {});
  // Adds a destination; returns the label on the cells that it receives.
  Result<Label> add_leaf(ConnectionId connection, const std::string& end);
  Result<void> drop_leaf(ConnectionId connection, const std::string& end);

  Status status();

 private:
  class Work;
  std::unique_ptr<orb::Runtime> own_runtime_;  // outlives work_
  std::unique_ptr<Work> work_;
};

}  // namespace xbind::client
