// SwitchServer without CORBA: the managers' sessions (core/session) connected to a
// SwitchController.
//
//     manager ──frame──▶ on_commands ──in order, once──▶ controller ──▶ driver ──▶ switch
//     manager ◀──frame── ManagerOutlet ◀──one batch of results per batch of commands──┘
//
// A recall travels with the next batch of results; if none is due in the same step, it is sent
// alone. A batch of execute() passes through the controller like any other; its results come out by
// token.
//
// A step machine like the controller: events come in, then finish_step() sends the results.
// One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/events/event_log.hpp"
#include "core/hop.hpp"
#include "core/line_limits.hpp"
#include "core/metrics/stage_times.hpp"
#include "core/session/ended_sessions.hpp"
#include "core/session/session.hpp"
#include "core/session/session_end.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

// Receives frames for managers. Only queues; never calls back.
class ManagerOutlet {
 public:
  virtual ~ManagerOutlet() = default;
  virtual void to_manager(SessionId session, session::Frame<HopResultBatch> frame) = 0;
  // The answer to audit(), by its token.
  virtual void audited(std::uint64_t token, LedgerReport report) = 0;
  // The answer to the controller's look_at_call() or mend_call(), by its token. An outlet whose
  // owner never calls them need not implement it.
  virtual void looked(std::uint64_t /*token*/, CallAtSwitch /*there*/) {}
  // The answer to execute(), by its token. kUnreachable: the session ended before the results came.
  // An outlet whose owner never calls execute() need not implement it.
  virtual void executed(std::uint64_t /*token*/, Result<HopResultBatch> /*results*/) {}
  // The session has ended, for whatever reason, and its manager is to be notified why. The
  // reference to the manager may go once everything queued in the session has been sent. An outlet
  // that stores nothing need not implement it.
  virtual void session_over(SessionId /*session*/, const SessionEnding& /*ending*/) {}
  // The answer to read_statistics(), by its token. An outlet whose owner never reads statistics
  // need not implement it.
  virtual void counted(const SwitchController::Counted& /*counted*/) {}
};

struct SwitchServerOptions {
  SwitchControllerOptions controller;
  session::Limits session;
  std::size_t results_waiting_max =
      4096;  // batches for a manager that acknowledges none; with more its session ends
  EventLog* events = nullptr;      // gets every session that begins or ends; null: nobody does
  std::uint64_t session_base = 0;  // first session number - 1, below 2^63: differs at each start
};

// Measures the stages of a batch of commands, from its reception in order from the session until
// its results are passed to the session (execute(): to the outlet). Batches whose session ended
// meanwhile do not count. core/metrics/stage_times.hpp defines stages.
//
// The clock is the step's. A batch that needs no request to the switch spends all its time in
// `ledger`, except any wait for credit. `driver` includes the sending of the requests and the wait
// of the last answer for its turn. The daemon takes the driver's events at the end of its step, so
// its `answer` is only the wait for credit.
enum class BatchStage : std::uint8_t {
  kLedger,  // until the step ended: everything was decided, and encoded for the switch
  kDriver,  // until the driver's last answer was handled: GSMP and the switch
  kAnswer,  // until the results were passed on; longer than a step only without credit
  kTotal,
};
constexpr std::string_view to_string(BatchStage stage) {
  switch (stage) {
    case BatchStage::kLedger: return "ledger";
    case BatchStage::kDriver: return "driver";
    case BatchStage::kAnswer: return "answer";
    case BatchStage::kTotal: return "total";
  }
  return "unknown stage";
}

class SwitchServer {
 public:
  struct Attachment {
    SessionId session;
    std::uint32_t batches_in_flight = 0;
    std::uint64_t books = 0;  // number of the ledger: differs after every start
    SwitchController::Attachment holdings;
  };

  SwitchServer(SwitchServerOptions options, SwitchDriver& driver, ManagerOutlet& outlet);
  ~SwitchServer();

  // kBadInput: the name is empty or invalid. Other errors as SwitchController::attach.
  Result<Attachment> attach(const std::string& manager, Epoch epoch, TimePoint now);
  void detach(SessionId session);
  // The process ends in order: notifies every manager.
  void end_all();
  // Counts and ignores an unknown session.
  void on_commands(SessionId session, session::Frame<HopBatch> frame, TimePoint now);
  // Applies the batch outside the session's numbering; ManagerOutlet::executed(token, ...) follows.
  // kNotFound: no such session. The caller chooses distinct tokens.
  Result<void> execute(SessionId session, const HopBatch& batch, std::uint64_t token,
                       TimePoint now);
  // As SwitchController::held_hops, for the session's manager. kNotFound: no such session.
  Result<HeldHops> held_hops(SessionId session, std::uint64_t from, std::size_t most, TimePoint now,
                             std::vector<std::uint64_t>* places = nullptr) const;
  // As SwitchController::claim, for the session's manager. kNotFound: no such session.
  Result<ClaimsTaken> claim(SessionId session, const HopClaims& page, TimePoint now);
  // kBadInput: the name is empty or invalid.
  Result<ManagerEpochs> epochs_of(const std::string& manager) const;
  // Also kBadInput: as SwitchController::renew_epoch.
  Result<void> renew_epoch(const std::string& manager, Epoch newest);
  // kNotFound: no such session or port.
  Result<SwitchController::Grant> grant(SessionId session, PortId port, std::size_t labels,
                                        Resources quota, TimePoint now);
  Result<void> give_back(SessionId session, const PortLabels& labels, Resources quota);
  // ManagerOutlet::audited(token, ...) follows.
  Result<void> audit(const std::string& manager, std::uint64_t token);
  // As SwitchController::repair; ManagerOutlet::audited(token, ...) follows.
  Result<void> repair(std::vector<Finding> seen, std::uint64_t token, TimePoint now) {
    return controller_.repair(std::move(seen), token, now);
  }
  // As SwitchController::read_statistics; ManagerOutlet::counted() with the token follows.
  Result<void> read_statistics(PortId port, Label label, std::uint64_t token);
  // As SwitchController::forget.
  Result<std::uint64_t> forget_manager(const std::string& manager);
  // As SwitchController::clear_hops. The end of each call is an event at the SwitchServer of its
  // first hop, as its manager's log of calls is gone.
  Result<std::uint64_t> clear_hops(const std::string& manager, ConnectionId connection,
                                   TimePoint now);

  // What is recorded of a manager's connection.
  trace::Part spans_of(const std::string& manager, ConnectionId connection,
                       const trace::WallClock& clock);

  void on_driver(const driver::Event& event, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const;
  void finish_step(TimePoint now);

  struct Counters {
    std::uint64_t frames_in = 0;
    std::uint64_t frames_out = 0;
    std::uint64_t unknown_session = 0;
    std::uint64_t sessions_lost = 0;  // lease expired, given up, or protocol violated
  };
  const Counters& counters() const { return counters_; }
  const StageTimes<BatchStage>& batch_times() const { return batch_times_; }
  const SwitchController& controller() const { return controller_; }
  SwitchController& controller() { return controller_; }
  std::size_t managers() const { return managers_.size(); }

 private:
  using ManagerSession = session::Session<HopResultBatch, HopBatch>;
  struct Waiting {
    HopResultBatch batch;
    std::optional<SwitchController::BatchTimes> times{};  // nullopt: answers no batch
    std::vector<HopTrace> traces{};
  };
  struct Manager {
    std::string name;
    SessionId session;
    ManagerSession link;
    std::deque<Waiting> waiting = {};                 // results without credit
    std::vector<PortRecall> recalls = {};             // for the next results; at most one per port
    std::unordered_set<std::uint64_t> executes = {};  // tokens
  };

  static constexpr std::size_t kUnaskedPerBatch = 256;  // results; a frame of 20 000 octets
  // The controller's tokens: a session's number, or an execute's key in executes_.
  static constexpr std::uint64_t kExecute = std::uint64_t{1} << 63;
  struct Execute {
    SessionId session;
    std::uint64_t token = 0;  // chosen by the caller
  };

  void end(SessionId session, const SessionEnding& ending);
  void note_end(const std::string& manager, const SessionEnding& ending);
  void fail_executes(const Manager& manager, std::string_view reason);
  void hand_out(SwitchController::Results results, TimePoint now);
  void note_unasked(TimePoint now);
  // Sends while there is credit. Ends the session, and destroys `manager`, when more than
  // results_waiting_max batches still wait.
  void send_or_cut_off(Manager& manager, TimePoint now);
  void note_recall(const SwitchController::Recalled& recalled);
  void send_recalls(TimePoint now);
  void send_waiting(Manager& manager, TimePoint now);
  void send(Manager& manager, Waiting next, TimePoint now);
  void transmit(Manager& manager, session::Frame<HopResultBatch> frame);
  void count(const SwitchController::BatchTimes& times, TimePoint now);

  SwitchServerOptions options_;
  ManagerOutlet& outlet_;
  SwitchController controller_;
  SwitchController::Outputs outputs_;  // of the present step
  std::unordered_map<SessionId, std::unique_ptr<Manager>> managers_;
  std::unordered_map<std::string, SessionId> by_name_;
  EndedSessions ended_;
  std::unordered_map<std::uint64_t, Execute> executes_;
  std::uint64_t next_execute_ = kExecute;
  std::vector<SessionId> recalled_;  // sessions with recalls that have not been sent
  std::uint64_t next_session_;
  std::vector<std::shared_ptr<const HopBatch>> received_;  // by the present frame
  Counters counters_;
  MinuteLog unknown_log_;
  StageTimes<BatchStage> batch_times_;
};

}  // namespace xbind
