// A manager with nothing in it: every request becomes one command to each of its switches, and is answered
// when all have acknowledged it. No routes, no labels, no admission, no call states; but the same sessions,
// batches and gathering as the real one. What is left is the cost of messages.
//
//   requests ─▶ on_requests() ─▶ a command for each switch ─▶ finish_step() ─▶ frames to the switches
//   outcomes ◀─ finish_step() ◀─ all have answered          ◀─ on_results() ◀─ frames from them
//
// With no switches it answers every request itself.
//
// One client at a time: another that attaches takes its place. A step is any number of on_...() and then one
// finish_step(). Owner and threads: one thread at a time. No clock, no CORBA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/null/gathering.hpp"
#include "core/call.hpp"
#include "core/clock.hpp"
#include "core/hop.hpp"
#include "core/ids.hpp"
#include "core/session/session.hpp"

namespace xbind::callgen::null {

class NullManager {
 public:
  using ToClient = session::Frame<OutcomeBatch>;
  struct ToSwitch {
    std::size_t at = 0;
    session::Frame<HopBatch> frame;
  };

  // Requests under way at a time; what comes beyond is answered busy.
  static constexpr std::size_t kMostUnderWay = 1'000'000;

  // `windows`: one for each switch that is attached, as its attachment told it.
  NullManager(const Gathering& rule, const std::vector<std::uint32_t>& windows, TimePoint now);

  // A session for this client; the earlier one ends. What it had under way is not answered.
  SessionId attach_client(const std::string& name, TimePoint now);
  void detach_client(SessionId session);
  std::uint32_t client_window() const { return kClientLimits.batches_in_flight; }

  // A frame that breaks the protocol ends the session it came in; one of another session is ignored.
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // kProtocol: the switch breaks the protocol, and is of no use any more.
  Result<void> on_results(std::size_t at, session::Frame<HopResultBatch> frame, TimePoint now);

  // Sends what is due. kTimeout: a switch is silent.
  Result<void> finish_step(TimePoint now, std::vector<ToClient>& to_client,
                           std::vector<ToSwitch>& to_switches);
  TimePoint next_deadline() const;

  SessionId client() const { return session_; }
  std::size_t switches() const { return switches_.size(); }
  std::size_t under_way() const { return under_way_; }
  // Batches, both legs and both directions.
  std::uint64_t frames() const { return frames_; }
  std::uint64_t commands() const { return commands_; }

 private:
  static constexpr session::Limits kClientLimits{.lease = std::chrono::seconds{60}};
  using ClientSession = session::Session<OutcomeBatch, RequestBatch>;
  using SwitchSession = session::Session<HopBatch, HopResultBatch>;

  struct Switch {
    SwitchSession link;
    CommandQueue queue;
  };
  // A request that switches have not answered. Its place in under_way_of_ tells its number.
  struct Pending {
    SessionId session;
    Outcome outcome;
    std::size_t left = 0;
  };

  void take(const ConnectRequest& request, TimePoint now);
  void set_up(ConnectionId number, RequestId request, const HopOwner& owner, TimePoint now);
  // The number under which the switches are to answer, if the request is to be passed on.
  std::optional<ConnectionId> begin(Outcome outcome);
  void done(Pending& pending);
  void answer(Outcome outcome);
  bool send_to_client(TimePoint now, std::vector<ToClient>& out);

  Gathering rule_;
  std::vector<std::unique_ptr<Switch>> switches_;
  std::string client_name_;
  SessionId session_;
  std::unique_ptr<ClientSession> client_;
  std::uint64_t next_session_ = 1;
  std::vector<Outcome> answers_;  // wait for credit; at most kMostUnderWay and what a step adds

  std::deque<Pending> pending_;  // numbers oldest_ and up; those in front that are done are gone
  std::uint64_t oldest_number_ = 1;
  std::size_t under_way_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t commands_ = 0;
};

}  // namespace xbind::callgen::null
