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
// (refuse_next), limit of open requests (19), then the table's rules for the message. The files
// serve groups of requests: agent_connections.cpp, agent_ports.cpp, agent_state.cpp,
// agent_configuration.cpp, agent_reservations.cpp, agent_region.cpp; events are agent_events.cpp.
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
// Events: sequence numbers and flags belong to the port (PortEventState). Flow control holds back
// Invalid Label like other events. With flow control off, at most one Invalid Label per port is
// sent in each kInvalidLabelRest, whatever the cell rate.
//
// Octets in, octets out; the caller supplies the time. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/message.hpp"
#include "switchagent/open_requests.hpp"
#include "switchagent/switch_table.hpp"
#include "switchagent/timers.hpp"

namespace xbind::switchagent {

struct AgentOptions {
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;  // Sender Port of the adjacency
  std::uint8_t timer = gsmp::kAdjacencyPeriod;
  std::uint8_t partition = 0;                // if not 0: assigned to every controller
  std::vector<std::uint8_t> versions{3, 1};  // the highest first: {3, 1}, {3} or {1}
  bool recovered = false;       // after a hot restart: the first adjacency is offered with PFlag 2
  bool return_receipt = false;  // events request an acknowledgement (version 3)
  bool region_model = false;    // offers MType 201, "xbind-sr"
  std::uint16_t window = 256;   // limit of one controller's open requests
  std::size_t open_requests_max = 4096;  // total limit, including requests of ended adjacencies
  std::uint16_t firmware_version = 0x0100;
  std::uint16_t switch_type = 0x5842;  // "XB"
  std::size_t controllers_max = 16;
  std::size_t response_octets_max = gsmp::kSentOctetsMax;  // longer answers are split
  // Limit of answers not yet taken by the owner; a controller beyond it is disconnected.
  std::size_t output_octets_max = 64U << 20;
};

using gsmp::name_from;  // derives the 48-bit name from the switch's name

inline constexpr Duration kInvalidLabelRest = kAgentTimers["invalid-label-rest"];

struct AgentCounters {
  std::uint64_t requests = 0;
  std::uint64_t failures_sent = 0;
  std::uint64_t branches_added = 0;  // successful Add Branch messages
  std::uint64_t branches_deleted = 0;
  std::uint64_t dropped = 0;           // before ESTAB, of another version, or not for a switch
  std::uint64_t undecodable = 0;       // requests with an invalid header or body (failure 2)
  std::uint64_t refused = 0;           // by refuse_next
  std::uint64_t events_sent = 0;       // counted per controller
  std::uint64_t events_held = 0;       // detected, but held back or without a controller
  std::uint64_t receipts = 0;          // acknowledgements of events
  std::uint64_t refused_open = 0;      // refused with 19: too many open requests
  std::uint64_t answers_void = 0;      // answers of the table after the adjacency had ended
  std::uint64_t answers_unknown = 0;   // answers of the table to a ticket that was not open
  std::uint64_t adjacencies_up = 0;    // times that an adjacency was established
  std::uint64_t adjacencies_down = 0;  // times that an established one ended
  // By failure code: the failures sent.
  std::array<std::uint64_t, 256> failures_with{};
  // By message type: requests with a valid header, and the failures sent in answer.
  std::array<std::uint64_t, 256> requests_of{};
  std::array<std::uint64_t, 256> failures_of{};
};

// For the log.
struct AgentNotice {
  ControllerId controller;
  bool trouble = false;
  std::string text;
};

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

  std::size_t adjacencies() const;
  std::size_t open_requests() const { return open_.size(); }
  const AgentCounters& counters() const { return counters_; }

 private:
  struct Controller {
    gsmp::Adjacency adjacency;
    gsmp::FrameReader frames;
    wire::Buffer output;
    std::optional<std::string> to_close;
    std::size_t open_requests = 0;

    bool heard() const { return !to_close && adjacency.established(); }
  };
  struct Request;  // a request and the destination of its answer: agent_request.hpp
  using Controllers = std::map<ControllerId, Controller>;

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
  void answer_late(std::uint64_t request);
  // Abandons the controller's open requests: their answers will be dropped.
  void abandon(ControllerId id, Controller& controller);

  void send_adjacency_update();
  void raise(gsmp::MessageType type, PortId port, std::uint32_t session, Label label = {});
  void send_event(gsmp::Event event);

  bool serves(const gsmp::Header& header) const;
  bool region_active() const;
  void answer(Request& request);
  // The first checks, in order. `session_port` is one of `ports`.
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports,
                          PortId session_port, std::uint32_t session);
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports);
  gsmp::FailureCode check_ports(const gsmp::DeleteElement& element) const;
  void fail_request(Request& request, gsmp::FailureCode code);
  void count_failure(gsmp::FailureCode code);
  // Answers with a copy of the request, unless a success needs no answer; or with its failure.
  void conclude(Request& request, gsmp::FailureCode code);
  template <class M>
  // Answers with the message's content.
  void fail_with(Request& request, M& message, gsmp::FailureCode code);
  // `ask` calls the table once for each part of the request, with tickets of request id `asking_`.
  // finish() follows when the table has completed all parts, now or later. If too many requests are
  // open, refuses with 19 and does not call `ask`.
  template <class M, class Ask>
  void ask_table(Request& request, M& message, std::uint32_t parts, bool reads, Ask&& ask);

  void serve(Request& request, const gsmp::AddBranch& message);
  void serve(Request& request, gsmp::DeleteBranches& message);
  void serve(Request& request, const gsmp::DeleteTree& message);
  void serve(Request& request, gsmp::VerifyTree& message);
  void serve(Request& request, const gsmp::DeleteAll& message);
  void serve(Request& request, const gsmp::MoveOutputBranch& message);
  void serve(Request& request, const gsmp::MoveInputBranch& message);
  void serve(Request& request, gsmp::PortManagement& message);
  void serve(Request& request, gsmp::LabelRangeMessage& message);
  void serve(Request& request, gsmp::ConnectionActivity& message);
  void serve(Request& request, const gsmp::StatisticsRequest& message);
  void serve(Request& request, const gsmp::ReportRequest& message);
  void serve(Request& request, const gsmp::SwitchConfiguration& message);
  void serve(Request& request, const gsmp::PortConfigurationRequest& message);
  void serve(Request& request, const gsmp::AllPortsRequest& message);
  void serve(Request& request, const gsmp::ServiceConfigurationRequest& message);
  void serve(Request& request, const gsmp::ReservationRequest& message);
  void serve(Request& request, const gsmp::DeleteReservation& message);
  void serve(Request& request, const gsmp::DeleteAllReservations& message);
  void serve(Request& request, gsmp::ParameterSupport& message);
  void serve(Request& request, gsmp::TrafficClasses& message);
  void serve(Request& request, gsmp::EstimationSupport& message);
  void serve(Request& request, gsmp::EstimationPolicy& message);
  void serve(Request& request, gsmp::SchedulableRegionMessage& message);
  // Answers in one or more parts. `branches` must not be empty.
  void report(Request& request, const gsmp::ReportRequest& message, const TableReport& branches);
  // The checked ports that a region model message addresses; empty: already answered.
  std::vector<PortId> region_ports(Request& request, PortId port, std::uint32_t session,
                                   bool all_ports);

  // ----- answers to requests that the table has completed -----
  void finish(Request& request, const gsmp::AddBranch& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::DeleteBranches& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::VerifyTree& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::PortManagement& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::LabelRangeMessage& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::ConnectionActivity& message, TableOutcome& outcome);
  void finish(Request& request, const gsmp::StatisticsRequest& message, TableOutcome& outcome);
  void finish(Request& request, const gsmp::ReportRequest& message, TableOutcome& outcome);
  // For requests whose answer is a copy of the request, or its failure.
  template <class M>
  void finish(Request& request, const M&, TableOutcome& outcome) {
    conclude(request, outcome.code());
  }

  struct Refusals {
    std::uint64_t left = 0;
    gsmp::FailureCode code = gsmp::FailureCode::kNone;
    std::optional<gsmp::MessageType> type;
  };

  SwitchTable& table_;
  AgentOptions options_;
  std::function<std::uint32_t()> random_;
  Controllers controllers_;
  std::uint64_t last_controller_ = 0;
  bool cold_ = true;  // no adjacency since the start
  Refusals refusals_;
  AgentCounters counters_;
  std::uint64_t last_request_ = 0;  // id of the last request sent to the table
  std::uint64_t asking_ = 0;        // the request whose table call is running; 0: none
  TableOutcome asked_;              // outcome of the request `asking_`
  OpenRequests open_;
  // Earliest next Invalid Label event of each port, if flow control is off.
  std::vector<TimePoint> invalid_label_next_;
  std::vector<AgentNotice> notices_;
};

}  // namespace xbind::switchagent
