// The one outcome of every request, and which requests are taken at all.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstdint>
#include <vector>

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

// A refusal as an outcome: busy, or refused.
Outcome outcome_of(Refusal refusal);

class Outcomes {
 public:
  Outcomes(const Config& config, Peers& peers, ClientDesk& clients, SwitchDesk& switches,
           CallCounters& counters)
      : config_(config),
        peers_(peers),
        clients_(clients),
        switches_(switches),
        counters_(counters),
        gate_(config.operations_at_once, config.operations_waiting, config.queue_timer) {}

  // Which requests are under way: one that is told its outcome has ended.
  OperationGate<Request>& gate() { return gate_; }
  const OperationGate<Request>& gate() const { return gate_; }

  // Whether the request is a new one that may be begun or wait; if not it has been answered. `about`: the
  // connection that it names; 0 for a connect.
  bool admit(ClientIndex client, RequestId request, std::uint64_t digest, ConnectionId about);
  // The outcome of a request that was begun, whose times end with it.
  void tell(const Asker& asker, Outcome&& outcome, TimesIndex times = kNotTimed);
  void refuse(const Asker& asker, ConnectionId about, Refusal refusal);
  // The outcome of a request that was admitted and not begun.
  void turn_away(const Request& request, Refusal refusal);

  // Of a release or a leaf dropped: what could not be removed yet. `owing`: the switches of earlier paths.
  void name_what_is_owed(const Hops& hops, const std::vector<SwitchIndex>& owing,
                         Outcome& outcome) const;
  Refusal refusal_of(const Hop& hop, const HopResult& result) const;

 private:
  std::uint32_t retry_after_ms() const;

  const Config& config_;
  Peers& peers_;
  ClientDesk& clients_;
  SwitchDesk& switches_;
  CallCounters& counters_;
  OperationGate<Request> gate_;
};

}  // namespace xbind::cmgr
