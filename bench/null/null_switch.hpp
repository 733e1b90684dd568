// A SwitchServer without logic: every command is done at once. No ledger, labels or GSMP, but the
// session and batches of the real one.
//
// One manager at a time: a new manager replaces the attached one. One thread at a time. No clock,
// no CORBA.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/ids.hpp"
#include "core/session/session.hpp"

namespace xbind::callgen::null {

class NullSwitch {
 public:
  using ToManager = session::Frame<HopResultBatch>;

  SessionId attach(TimePoint now);
  void detach(SessionId session);
  std::uint32_t window() const { return session::Limits{}.batches_in_flight; }

  // A frame that breaks the protocol ends its session; a frame of another session is ignored.
  void on_commands(SessionId session, session::Frame<HopBatch> frame, TimePoint now);
  // Sends what credit permits; ends the session of a silent manager.
  void finish_step(TimePoint now, std::vector<ToManager>& out);
  TimePoint next_deadline() const;

  SessionId manager() const { return session_; }
  std::uint64_t frames() const { return frames_; }

 private:
  using ManagerSession = session::Session<HopResultBatch, HopBatch>;

  SessionId session_;
  std::unique_ptr<ManagerSession> link_;
  std::uint64_t next_session_ = 1;
  // Results of one command batch each, waiting for credit. The manager's own credit bounds them
  // while it confirms nothing; beyond kMostWaiting the session ends.
  std::deque<HopResultBatch> waiting_;
  std::uint64_t frames_ = 0;

  static constexpr std::size_t kMostWaiting = 100'000;
};

}  // namespace xbind::callgen::null
