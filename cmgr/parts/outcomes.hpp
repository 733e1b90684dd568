// The one outcome of every request, and the admission of requests.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cmgr/parts/call_log.hpp"
#include "cmgr/parts/client_desk.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/counters.hpp"
#include "cmgr/parts/operation_gate.hpp"
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/requests.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/call.hpp"

namespace xbind::cmgr {

// The outcome for a refusal: busy, or refused.
Outcome outcome_of(Refusal refusal);

class Outcomes {
 public:
  Outcomes(const Config& config, Peers& peers, ClientDesk& clients, SwitchDesk& switches,
           CallCounters& counters, CallLog& log)
      : config_(config),
        peers_(peers),
        clients_(clients),
        switches_(switches),
        counters_(counters),
        log_(log),
        gate_(config.operations_at_once, config.operations_waiting, config.queue_timer) {}

  using Gate = OperationGate<Request, ClientIndex>;
  // The requests under way: a request ends when its outcome is sent.
  Gate& gate() { return gate_; }
  const Gate& gate() const { return gate_; }

  // Whether the request is new and may begin or wait. If not, it has been answered. `about`: the
  // connection that it names; 0 for a connect.
  bool admit(ClientIndex client, RequestId request, std::uint64_t digest, ConnectionId about);
  // Refuses a request that is not admitted. The answer is not remembered: a repeat of the request
  // may get another one.
  void refuse_unadmitted(ClientIndex client, RequestId request, ConnectionId about,
                         Refusal refusal);
  // Sends the outcome of a request that was begun; its times end with it. `ends`: of its
  // connection, for the log; null: there is none. `is_event`: the outcome is what happened to the
  // call; false: another event says that.
  void tell(const Asker& asker, Outcome&& outcome, const CallEnds* ends,
            TimesIndex times = kNotTimed, bool is_event = true);
  // Sends an outcome that the call had before, for another request. Nothing has happened to the
  // call: it is neither counted nor an event.
  void tell_again(const Asker& asker, Outcome&& outcome);
  void refuse(const Asker& asker, ConnectionId about, Refusal refusal);
  // Answers a request busy that was admitted but not begun. A retry makes no sense before
  // `retry_after`. `about`: the connection that the answer names.
  void turn_away(const Request& request, Refusal refusal, Duration retry_after = {}) {
    turn_away({request.client, request.id()}, request.connection(), std::move(refusal),
              retry_after);
  }
  void turn_away(const Asker& asker, ConnectionId about, Refusal refusal,
                 Duration retry_after = {});

  // Adds to the outcome of a release or a dropped leaf which removals are owed. `owing`: the
  // switches of earlier paths.
  void describe_debts(const Hops& hops, const std::vector<SwitchIndex>& owing,
                      Outcome& outcome) const;
  Refusal refusal_of(const Hop& hop, const HopResult& result) const;

 private:
  std::uint32_t retry_after_ms() const;
  void answer(const Asker& asker, Outcome&& outcome, TimesIndex times);
  [[gnu::cold]] void log_outcome(const Asker& asker, const Outcome& outcome) const;

  const Config& config_;
  Peers& peers_;
  ClientDesk& clients_;
  SwitchDesk& switches_;
  CallCounters& counters_;
  CallLog& log_;
  Gate gate_;
};

}  // namespace xbind::cmgr
