// A client of a manager: asks for calls, changes and releases them, and judges every outcome
// (judge.cpp). It may lose its session and come back with a higher epoch; then it repeats what has not
// been answered. Now and then it says a request twice in one batch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/session/session.hpp"
#include "tests/sim/calls.hpp"
#include "tests/sim/parts.hpp"

namespace xbind::sim {

class Client {
 public:
  struct Hooks {
    std::function<void(SessionId, session::Frame<RequestBatch>)> transmit;
    std::function<void(Epoch)> attach;  // on_attached() follows, or nothing
    std::function<void(Call&)> up;      // a call has become one that the client relies on
    std::function<void(Call&)> held;
  };

  Client(Surroundings& world, std::string name, Hooks hooks)
      : world_(world), name_(std::move(name)), hooks_(std::move(hooks)) {}

  const std::string& name() const { return name_; }
  bool attached() const { return link_ != nullptr; }

  void start() { attach_anew(); }
  void on_attached(Epoch epoch, SessionId session, std::uint32_t window);
  // The session is gone; it comes back after a while. Notices get lost meanwhile.
  void die(Duration for_how_long);
  // Its manager has been killed. `for_good`: nobody will ever answer. `contracts_known`: no hop was
  // owed another contract.
  void orphaned(bool for_good, bool contracts_known);

  // The request's number is filled in.
  void connect(ConnectRequest wanted);
  void release(Call& call);
  void modify(Call& call, const ServiceSpec& service, const std::optional<ServiceSpec>& reverse);
  void leaf(Call& call, const std::string& end, bool drop);
  void commit(Call& call);
  // About no call of ours: whatever it is, it must not be done.
  void ask_nonsense(cmgr::RequestBody body);

  void on_outcomes(SessionId session, const session::Frame<OutcomeBatch>& frame);
  void tick();
  TimePoint next_deadline() const { return link_ ? link_->next_deadline() : kNever; }
  void finish_step();

  const std::map<RequestId, Asked>& asked() const { return asked_; }
  std::map<RequestId, Call>& calls() { return calls_; }
  const std::map<RequestId, Call>& calls() const { return calls_; }
  std::size_t unanswered() const;

 private:
  using Link = session::Session<RequestBatch, OutcomeBatch>;

  void attach_anew();
  RequestId ask(cmgr::RequestBody body, Call* call);
  void enqueue(const cmgr::RequestBody& body);

  // judge.cpp
  void judge(const Outcome& outcome);
  void judge_first(Asked& asked, const Outcome& outcome);
  void hear(const Notice& notice);
  void believe(Call& call, const ConnectRequest& asked, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const ReleaseRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const ModifyRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const LeafRequest& request, const Outcome& outcome);
  void believe(Call& call, Asked& asked, const CommitRequest& request, const Outcome& outcome);
  void comes_up(Call& call, const Outcome& outcome);
  void wrong(const Outcome& outcome, std::string_view why);

  Surroundings& world_;
  std::string name_;
  Hooks hooks_;
  Epoch epoch_;
  SessionId session_;
  std::unique_ptr<Link> link_;
  bool gone_ = false;  // with its manager
  RequestBatch waiting_;
  std::uint64_t next_request_ = 1;
  std::map<RequestId, Asked> asked_;
  std::map<RequestId, Call> calls_;  // by their setup
  bool has_lost_sessions_ = false;
  std::map<ConnectionId, Notice> early_;  // about connections that it does not know yet
};

}  // namespace xbind::sim
