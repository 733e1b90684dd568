// The switch's side of GSMP: every connected controller has an adjacency, in version 3 or 1.1. Its
// requests go to the table (switch_table.hpp) strictly in arrival order. Each request is answered
// once, when the table has completed all its parts: a local table completes at once and in order, a
// remote one later and in any order. The parts of one answer are contiguous.
//
// Open requests: at most `window` per controller, announced in Switch Configuration, and
// open_requests_max in total. Further requests are refused with 19 (out of resources) before they
// reach the table. A request that the table never completes stays open; the controller times out.
// When the adjacency ends, so do its open requests: late answers are counted and dropped.
//
// Order of checks for a request: type known in its version and in the traffic model (3), long
// enough for its fields (2), ports exist (4), session number (5), partition (7), injected refusal
// (refuse_next), limit of open requests (19), then the table's rules for the message.
//
//   SwitchAgent ── HandlerTable ──▶ messages/*.cpp   the rules and the answer of each message
//        ├──▶ Controllers    adjacencies, streams, output
//        ├──▶ OpenRequests   what the table has not completed yet
//        └──▶ AgentEvents    the events of ports, to every controller
//
// Several controllers share the table and the single partition without coordination. Each receives
// their number in Adjacency Update (85), and every port event. A controller with a broken stream or
// without a sign of life loses its connection; the others are not affected, and the cross-connects
// stay.
//
// PFlag: after a cold start the agent offers a new adjacency (1) until the first one is
// established, then a recovered one (2), because the table survives a loss of contact. A controller
// that sends 1 empties the table for all controllers. A hot restart creates a new agent with
// `recovered` over the same table; a cold restart creates a new table too.
//
// Octets in, octets out; the caller supplies the time. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "gsmp/message.hpp"
#include "switchagent/agent_events.hpp"
#include "switchagent/messages/agent_counters.hpp"
#include "switchagent/messages/agent_options.hpp"
#include "switchagent/messages/context.hpp"
#include "switchagent/messages/controller.hpp"
#include "switchagent/table/switch_table.hpp"

namespace xbind::switchagent {

class HandlerTable;
struct Request;

using gsmp::name_from;  // derives the 48-bit name from the switch's name

class SwitchAgent final : private TableClient {
 public:
  // `table` must outlive the agent and have one agent at a time. `random` generates instance
  // numbers.
  SwitchAgent(SwitchTable& table, AgentOptions options, std::function<std::uint32_t()> random);
  ~SwitchAgent();
  SwitchAgent(const SwitchAgent&) = delete;
  SwitchAgent& operator=(const SwitchAgent&) = delete;

  // kExhausted beyond controllers_max: close the connection.
  Result<ControllerId> connected(TimePoint now);
  void closed(ControllerId controller, TimePoint now);
  void receive(ControllerId controller, std::span<const std::byte> octets, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // After any call, and after cells have moved, any controller may have output.
  std::vector<ControllerId> controllers() const;
  void take_output(ControllerId controller, wire::Buffer& into);  // swaps buffers; empty if unknown
  // The reason to close the connection after sending its output; then call closed().
  std::optional<std::string> to_close(ControllerId controller) const;
  std::vector<AgentNotice> take_notices();

  // Makes the next `count` requests with valid ports, session and partition fail with `code`:
  // requests of the given type, or of any type without one. Replaces an earlier refusal.
  void refuse_next(std::uint64_t count, gsmp::FailureCode code,
                   std::optional<gsmp::MessageType> type = gsmp::MessageType::kAddBranch);

  // Counts on from these: those of the agent before a restart of the switch.
  void continue_counters(const AgentCounters& counters) { counters_ = counters; }

  std::size_t adjacencies() const { return established(controllers_); }
  std::size_t open_requests() const { return open_.size(); }
  const AgentCounters& counters() const { return counters_; }

 private:
  bool on_message(ControllerId id, Controller& controller, std::span<const std::byte> message,
                  TimePoint now);
  void on_adjacency(ControllerId id, Controller& controller, std::span<const std::byte> message,
                    TimePoint now);
  void on_other(ControllerId id, Controller& controller, std::span<const std::byte> message,
                TimePoint now);
  void on_up(ControllerId id, Controller& controller, TimePoint now);
  void on_down(ControllerId id, std::string why);
  void cut_off(ControllerId id, Controller& controller, std::string why);
  // Disconnects the controller if too many answers wait to be sent. Returns false if it did.
  bool bound_output(ControllerId id, Controller& controller);

  // ----- the table's answers and events -----
  void completed(Ticket ticket, gsmp::FailureCode code) override;
  void completed(Ticket ticket, gsmp::FailureCode code, TableReading reading) override;
  void port_changed(gsmp::MessageType event, PortId port, std::uint32_t session) override;
  void invalid_label(PortId port, Label label, TimePoint now) override;
  void progressed(Ticket ticket, OpenRequests::Progress progress);
  void answer(Request& request);
  void answer_late(std::uint64_t request);
  // Abandons the controller's open requests: their answers will be dropped.
  void abandon(ControllerId id, Controller& controller);

  SwitchTable& table_;
  AgentOptions options_;
  std::function<std::uint32_t()> random_;
  const HandlerTable& handlers_;
  Controllers controllers_;
  std::uint64_t last_controller_ = 0;
  bool cold_;  // no adjacency since the start
  InjectedRefusals refusals_;
  AgentCounters counters_;
  std::vector<AgentNotice> notices_;
  OpenRequests open_;
  AgentEvents events_;
  Context context_;  // of the parts above, for the handlers
};

}  // namespace xbind::switchagent
