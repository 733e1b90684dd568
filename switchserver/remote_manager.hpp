// The managers' observers as ManagerOutlet: frames are collected during a step and sent after it, on
// the thread that ran it. A direct write cannot block: the session's octet credit is below the
// socket's send buffer (core/session/session.hpp).
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "switch_server.hh"
#include "switchserver/switch_server.hpp"

namespace xbind {

class RemoteManagers : public ManagerOutlet {
 public:
  using Lost = std::function<void(SessionId, std::string reason)>;
  using Audited = std::function<void(std::uint64_t token, LedgerReport report)>;

  RemoteManagers(Lost on_lost, Audited on_audited)
      : on_lost_(std::move(on_lost)), on_audited_(std::move(on_audited)) {}

  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override {
    outbox_.push_back({session, std::move(frame)});
  }
  void audited(std::uint64_t token, LedgerReport report) override {
    on_audited_(token, std::move(report));
  }

  // Within the step that attached it.
  void know(SessionId session, v1::HopObserver_ptr observer);
  void forget(SessionId session) { observers_.erase(session); }
  // Sends what was collected. A peer that cannot be reached is reported with on_lost.
  void send_collected();

  std::uint64_t requests_sent() const { return requests_sent_; }

 private:
  struct Outgoing {
    SessionId session;
    session::Frame<HopResultBatch> frame;
  };

  Lost on_lost_;
  Audited on_audited_;
  std::unordered_map<SessionId, v1::HopObserver_var> observers_;
  std::vector<Outgoing> outbox_;
  std::uint64_t requests_sent_ = 0;
};

}  // namespace xbind
