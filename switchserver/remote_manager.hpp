// The managers' observers as ManagerOutlet. Frames are collected during a step and sent after it,
// on the thread that ran it, by oneways that cannot block (orb/oneway.hpp).
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/impairments/outbox.hpp"
#include "switch_server.hh"
#include "switchserver/switch_server.hpp"

namespace xbind {

class RemoteManagers : public ManagerOutlet {
 public:
  using Lost = std::function<void(SessionId, std::string reason)>;
  using Audited = std::function<void(std::uint64_t token, LedgerReport report)>;
  using Looked = std::function<void(std::uint64_t token, CallAtSwitch there)>;
  using Counted = std::function<void(const SwitchController::Counted& counted)>;
  using Executed = std::function<void(std::uint64_t token, Result<HopResultBatch> results)>;

  // `name`: the SwitchServer's name. `impairments` must outlive this object.
  RemoteManagers(const std::string& name, Impairments& impairments, Lost on_lost,
                 Audited on_audited, Looked on_looked, Executed on_executed, Counted on_counted)
      : on_lost_(std::move(on_lost)),
        on_audited_(std::move(on_audited)),
        on_looked_(std::move(on_looked)),
        on_executed_(std::move(on_executed)),
        on_counted_(std::move(on_counted)),
        outbox_(impairments, "switch-to-manager/" + name, "to_managers") {}

  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override {
    outbox_.put({session, std::move(frame)});
  }
  void audited(std::uint64_t token, LedgerReport report) override {
    on_audited_(token, std::move(report));
  }
  void looked(std::uint64_t token, CallAtSwitch there) override {
    on_looked_(token, std::move(there));
  }
  void executed(std::uint64_t token, Result<HopResultBatch> results) override {
    on_executed_(token, std::move(results));
  }
  void counted(const SwitchController::Counted& counted) override { on_counted_(counted); }

  // Stores the session's observer. Call it within the step that attached the session.
  void know(SessionId session, v2::HopObserver_ptr observer);
  void session_over(SessionId session, const SessionEnding& ending) override {
    over_.emplace_back(session, ending);
  }
  // The number of observers: one for each session that has not ended.
  std::size_t references() const { return observers_.size(); }
  // Sends the collected messages. Reports a peer that cannot be reached by on_lost.
  void send_collected(TimePoint now);
  TimePoint next_deadline() const { return outbox_.next_deadline(); }

  std::uint64_t requests_sent() const { return requests_sent_; }

 private:
  struct Outgoing {
    SessionId session;
    session::Frame<HopResultBatch> frame;

    std::uint64_t peer() const { return session.value(); }
    MessageCost cost() const {
      return frame.batch ? MessageCost{1, frame.batch->results.size()} : MessageCost{};
    }
  };

  void send_session_end(SessionId session, const v2::HopObserver_var& observer,
                        const SessionEnding& ending);

  Lost on_lost_;
  Audited on_audited_;
  Looked on_looked_;
  Executed on_executed_;
  Counted on_counted_;
  std::unordered_map<SessionId, v2::HopObserver_var> observers_;
  std::vector<std::pair<SessionId, SessionEnding>> over_;  // sessions that have ended in this step
  Outbox<Outgoing> outbox_;
  v2::HopResultBatch results_;  // the batch being sent; kept to reuse its memory
  std::uint64_t requests_sent_ = 0;
};

}  // namespace xbind
