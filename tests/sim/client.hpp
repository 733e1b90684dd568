// A client of a manager: asks for calls, holds them, releases them, and judges every outcome. It
// may lose its session and come back with a higher epoch; then it repeats what has not been
// answered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/call.hpp"
#include "core/session/session.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

// What a client asked for, and what it was told.
struct Asked {
  std::optional<ConnectRequest> connect;
  std::optional<ReleaseRequest> release;
  bool second_release = false;  // of one call: to be refused
  std::optional<Outcome> outcome;
};

class Client {
 public:
  struct Hooks {
    std::function<void(SessionId, session::Frame<RequestBatch>)> transmit;
    std::function<void(Epoch)> attach;                // attached() follows, or nothing
    std::function<void(const Asked&)> connected;      // a call is up
    std::function<void(const Asked&)> release_asked;  // it is no longer promised
  };

  Client(Surroundings& world, std::string name, Hooks hooks)
      : world_(world), name_(std::move(name)), hooks_(std::move(hooks)) {}

  const std::string& name() const { return name_; }
  bool attached() const { return link_ != nullptr; }

  void start() { attach_anew(); }
  void on_attached(Epoch epoch, SessionId session, std::uint32_t window);
  // The session is gone; it comes back after a while.
  void die(Duration for_how_long);

  void connect(const std::string& from, const std::string& to, std::uint64_t cells_per_s);
  // Of a call that is up.
  void release(RequestId call);
  void release_twice(RequestId call);
  void release_unknown();

  void on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame);
  void tick();
  TimePoint next_deadline() const { return link_ ? link_->next_deadline() : kNever; }
  void finish_step();

  const std::map<RequestId, Asked>& asked() const { return asked_; }
  std::size_t unanswered() const;

 private:
  using Link = session::Session<RequestBatch, OutcomeBatch>;

  void attach_anew();
  void judge(const Outcome& outcome);
  void judge_first(Asked& asked, const Outcome& outcome);
  ConnectionId connection_of(RequestId call) const { return asked_.at(call).outcome->connection; }

  Surroundings& world_;
  std::string name_;
  Hooks hooks_;
  Epoch epoch_;
  SessionId session_;
  std::unique_ptr<Link> link_;
  RequestBatch waiting_;
  std::uint64_t next_request_ = 1;
  std::map<RequestId, Asked> asked_;
};

}  // namespace xbind::sim
