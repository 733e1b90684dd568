// A client of a ConnectionManager, for programs: the only header that an application needs.
//
//   xbind::client::Client client({.manager = "default", .name_service = "127.0.0.1:2809"});
//   const auto call = client.connect("host-a", "host-b", service);     // waits
//   auto answer = client.submit(xbind::ReleaseRequest{{}, call->connection});   // does not wait
//
// The client attaches by itself, begun by the constructor, and attaches again whenever its session is
// lost; requests wait meanwhile, and what has no outcome is repeated (client/requester.hpp says how).
// Every request gets exactly one answer.
//
// Threads
//   The caller's    every function may be called by any thread at any time, from callbacks as well; only
//                   the destructor not from a callback, nor while another thread is in a function.
//   callbacks       runs all callbacks of one Client, one after the other. A callback may block and may
//                   use the client; it delays the callbacks after it, not the client. It must not throw.
//   two-way calls   resolves the manager's name, attaches and detaches, so that no other thread waits
//                   for a peer.
//   timers, ORB     run the logic, one at a time (core/serial.hpp), and fulfil futures.
//
// Ownership
//   The Client owns its session and its observer; connections are not owned: they stay when the client
//   goes. With its own ORB the Client is the only one of its process that uses omniORB. Otherwise the
//   Runtime is the caller's, and outlives the Client.
//
// Bounds: Limits::open_max requests without an answer; as many callbacks that wait to be run, then
// requests are refused (kExhausted), and twice as many, then notices are dropped and counted.
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
  // The program's name at the manager (core/name.hpp); empty: "client-" and the process id. Another
  // program that attaches under it with a higher epoch ends this one (kFenced).
  std::string client{};
  std::string name_service{};  // "host:port"; empty: as omniORB's own tools find it
  // Of this life of the program: above that of earlier lives. 0: nanoseconds since 1970, read once.
  std::uint64_t epoch = 0;
  // In the range that client/limits.hpp says. A jitter of 0 is replaced by a share that differs from
  // client to client; the octet credit is cut to what the connection's socket holds.
  Limits limits{};
  // How long the functions that wait do so, 0 to an hour. Above the manager's own timers and
  // Limits::reach_within, so that there is an answer as a rule.
  Duration answer_within = kClientTimers["answer-within"];

  // Of the client's own ORB only.
  std::string listen_address = "127.0.0.1";  // numeric; where the manager reaches this program
  std::uint32_t call_timeout_ms =
      orb::kOrbTimers.ms("call-timeout-ms").count();  // of a two-way call
};

struct Status {
  Requester::State state = Requester::State::kIdle;
  SessionId session;
  std::size_t open = 0;     // requests without an answer
  std::size_t waiting = 0;  // of them, not sent in this session
  Requester::Counters counters;
  session::Counters batches;
  std::uint64_t notices_dropped = 0;  // nobody had asked for them, or too many callbacks waited
};

class Client {
 public:
  using Callback = std::function<void(const Answer&)>;

  // With an ORB of its own. Exits the process with a sentence and code 2 if the ORB cannot start, as
  // orb::Runtime does. A manager that is not there is no error: the client goes on trying.
  explicit Client(const Options& options);
  // In a process that has an ORB already.
  Client(orb::Runtime& runtime, const Options& options);
  // Ends in order: confirms, detaches, answers what is open with an error (kTimeout) and waits for the
  // callbacks. Takes as long as the two-way calls under way. A request that a callback submits
  // meanwhile is refused; its own callback is not run.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Waits for a session. kTimeout: there was none within `patience`; the client goes on trying. Also
  // the error that ended the client.
  Result<void> wait_until_attached(Duration patience);

  // ===== without waiting =====

  // A number in the request is not looked at: the client gives it one of its own. A request that is
  // refused by the client itself has its answer at once.
  std::future<Answer> submit(Request request);
  void submit(Request request, Callback callback);

  // Called for every notice from now on, instead of the one before; empty: not at all. A notice that
  // comes while there is no session is lost.
  void on_notice(std::function<void(const Notice&)> callback);
  // Called when a session begins (a value) and when one is lost (the reason), and for the last time
  // when the client ends: it is destroyed, or was fenced off.
  void on_session(std::function<void(const Result<void>&)> callback);

  // ===== waiting for the outcome =====

  // A refusal is an Error with its cause and numbers in the text (client/answers.hpp). kTimeout: no
  // answer within Options::answer_within. A connection that comes up after all that is released again.
  Result<Connected> connect(const std::string& from, const std::string& to,
                            const ServiceSpec& service);
  // The same with everything that can be asked for but a hold.
  Result<Connected> connect(ConnectRequest request);
  // Reserves every hop for request.hold_ms and programs no switch; commit() makes a connection of it.
  Result<ConnectionId> hold(ConnectRequest request);
  Result<Connected> commit(ConnectionId connection);
  Result<void> release(ConnectionId connection);
  // Another contract; refused: the old one stands.
  Result<void> modify(ConnectionId connection, const ServiceSpec& service,
                      const std::optional<ServiceSpec>& reverse = {});
  // One more destination; the label that it finds on its cells.
  Result<Label> add_leaf(ConnectionId connection, const std::string& end);
  Result<void> drop_leaf(ConnectionId connection, const std::string& end);

  Status status();

 private:
  class Work;
  std::unique_ptr<orb::Runtime> own_runtime_;  // outlives work_
  std::unique_ptr<Work> work_;
};

}  // namespace xbind::client
