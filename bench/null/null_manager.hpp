// A manager without logic: it sends one command for every request to each of its switches, and
// answers when all have acknowledged it. No routes, labels, admission or call states, but the
// sessions, batches and gathering of the real manager. What remains is the cost of messages.
//
//   requests ─▶ on_requests() ─▶ a command for each switch ─▶ finish_step() ─▶ frames to switches
//   outcomes ◀─ finish_step() ◀─ all have answered          ◀─ on_results() ◀─ frames from them
//
// With no switches it answers every request itself.
//
// One client at a time: a new client replaces the attached one. A step is any number of on_...()
// calls and then one finish_step(). One thread at a time. No clock, no CORBA.
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

  // Most pending requests; further ones are answered busy.
  static constexpr std::size_t kMostUnderWay = 1'000'000;

  // `windows`: one for each attached switch, as its attachment reported it.
  NullManager(const Gathering& rule, const std::vector<std::uint32_t>& windows, TimePoint now);

  // Opens a session for this client and ends the earlier one, whose pending requests are not
  // answered.
  SessionId attach_client(const std::string& name, TimePoint now);
  void detach_client(SessionId session);
  std::uint32_t client_window() const { return kClientLimits.batches_in_flight; }

  // A frame that breaks the protocol ends its session; a frame of another session is ignored.
  void on_requests(SessionId session, session::Frame<RequestBatch> frame, TimePoint now);
  // kProtocol: the switch breaks the protocol and cannot be used any more.
  Result<void> on_results(std::size_t at, session::Frame<HopResultBatch> frame, TimePoint now);

  // Sends what is due by time. kTimeout: a switch is silent.
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
  // A request that switches have not answered. Its index in under_way_of_ is its number.
  struct Pending {
    SessionId session;
    Outcome outcome;
    std::size_t left = 0;
  };

  void take(const ConnectRequest& request, TimePoint now);
  void set_up(ConnectionId number, RequestId request, const HopOwner& owner, TimePoint now);
  // The number that the switches answer with, if the request is to be forwarded.
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
  std::vector<Outcome>
      answers_;  // wait for credit; at most kMostUnderWay plus the additions of one step

  std::deque<Pending> pending_;  // numbers from oldest_ on; done ones at the front are removed
  std::uint64_t oldest_number_ = 1;
  std::size_t under_way_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t commands_ = 0;
};

}  // namespace xbind::callgen::null
