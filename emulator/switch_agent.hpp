// The switch's side of GSMP: every controller that connects gets an adjacency, in version 3 or 1.1, and
// its requests go to the table (switch_table.hpp) strictly in the order they came. Each is answered
// once, when the table has completed all its parts: at once and in that order by a table that is here,
// later and in any order by one that is not. The parts of one answer stand together.
//
// Open requests: at most `window` of a controller, which Switch Configuration tells it, and
// open_requests_max in all. One more is refused with 19 (out of resources) before it reaches the
// table. What the table never completes is left to the controller's own timeout and keeps its place.
// With the adjacency end its open requests: late answers are counted and dropped.
//
// Per request the order of checks is: type known in its version, and in the model of traffic (3), long
// enough for its fields (2), ports exist (4), session number (5), partition (7), then a refusal that was
// asked for (refuse_next), the bound of open requests (19), then the message's own rules (the table's).
// The requests are served by group:
// agent_connections.cpp, agent_ports.cpp, agent_state.cpp, agent_configuration.cpp,
// agent_reservations.cpp, agent_region.cpp; events are agent_events.cpp.
//
// Several controllers share the table and the one partition, and are not coordinated; each learns by
// Adjacency Update (85) how many there are, and of every event on a port. A controller whose stream is
// broken, or that falls silent, loses its connection; the others do not notice, and the cross-connects
// stay.
//
// PFlag: after a cold start the agent offers a new adjacency (1) until the first is established,
// then a recovered one (2), since it keeps its table while contact is lost. A controller that asks
// for 1 empties the table, for all. A hot restart is a new agent with `recovered` over the same table,
// a cold one is a new table too.
//
// Events: their numbers and flags are the port's (PortEventState). Invalid Label is held back by its
// flow control like the others; with that off, at most one each kInvalidLabelRest and port is sent, so
// that nothing grows with the cells.
//
// Octets in and out, time handed in. Not thread-safe.
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
#include "emulator/open_requests.hpp"
#include "emulator/switch_table.hpp"
#include "emulator/timers.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/message.hpp"

namespace xbind::emulator {

struct AgentOptions {
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;  // Sender Port of the adjacency
  std::uint8_t timer = gsmp::kAdjacencyPeriod;
  std::uint8_t partition = 0;                // other than 0: assigned to every controller
  std::vector<std::uint8_t> versions{3, 1};  // the highest first: {3, 1}, {3} or {1}
  bool recovered = false;       // after a hot restart: the first adjacency is offered with PFlag 2
  bool return_receipt = false;  // events ask to be acknowledged (version 3)
  bool region_model = false;    // MType 201, "xbind-sr", is offered
  std::uint16_t window = 256;   // requests of one controller that may be open
  std::size_t open_requests_max = 4096;  // of all, with those whose adjacency has ended
  std::uint16_t firmware_version = 0x0100;
  std::uint16_t switch_type = 0x5842;  // "XB"
  std::size_t controllers_max = 16;
  std::size_t response_octets_max = gsmp::kSentOctetsMax;  // longer answers come in parts
  // Answers that the owner has not taken yet; a controller that asks for more is cut off.
  std::size_t output_octets_max = 64U << 20;
};

using gsmp::name_from;  // a switch's 48-bit name, from the name it was started with

inline constexpr Duration kInvalidLabelRest = kSwitchTimers["invalid-label-rest"];

struct AgentCounters {
  std::uint64_t requests = 0;
  std::uint64_t failures_sent = 0;
  std::uint64_t branches_added = 0;  // successful Add Branch messages
  std::uint64_t branches_deleted = 0;
  std::uint64_t dropped = 0;          // too early, of another version, or nothing a switch is sent
  std::uint64_t undecodable = 0;      // requests answered with failure 2 for their header or body
  std::uint64_t refused = 0;          // by refuse_next
  std::uint64_t events_sent = 0;      // to one controller each
  std::uint64_t events_held = 0;      // detected, but held back or nobody there
  std::uint64_t receipts = 0;         // acknowledgements of events
  std::uint64_t refused_open = 0;     // with 19: too many requests were open
  std::uint64_t answers_void = 0;     // of the table, after the adjacency of the request had ended
  std::uint64_t answers_unknown = 0;  // of the table, to a ticket that was not open
  // By the message's type; requests with a readable header, and failures sent in answer to them.
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
  // `table` outlives the agent, and has one agent at a time. `random` gives instance numbers.
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

  // After any of the calls above and below, and after cells have moved, any controller may have output.
  std::vector<ControllerId> controllers() const;
  void take_output(ControllerId controller, wire::Buffer& into);  // swaps; empty if unknown
  // Why the connection is to be closed, once its output is sent; then closed().
  std::optional<std::string> to_close(ControllerId controller) const;
  std::vector<AgentNotice> take_notices();

  // The next `count` requests of that type, of any type without one, whose ports, session and partition
  // are right fail with `code`. Takes the place of what is left of an earlier one.
  void refuse_next(std::uint64_t count, gsmp::FailureCode code,
                   std::optional<gsmp::MessageType> type = gsmp::MessageType::kAddBranch);

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
  struct Request;  // one request and where its answer goes: agent_request.hpp
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
  // Too many answers wait to be sent: cuts the controller off. False: it did.
  bool bound_output(ControllerId id, Controller& controller);

  // ----- the table's answers and events -----
  void completed(Ticket ticket, gsmp::FailureCode code) override;
  void completed(Ticket ticket, gsmp::FailureCode code, TableReading reading) override;
  void port_changed(gsmp::MessageType event, PortId port, std::uint32_t session) override;
  void invalid_label(PortId port, Label label, TimePoint now) override;
  void answer_late(std::uint64_t request);
  // Nobody waits for the controller's open requests any longer.
  void abandon(ControllerId id, Controller& controller);

  void send_adjacency_update();
  void raise(gsmp::MessageType type, PortId port, std::uint32_t session, Label label = {});
  void send_event(gsmp::Event event);

  bool serves(const gsmp::Header& header) const;
  bool region_active() const;
  void answer(Request& request);
  // The first checks, in their order. `session_port` is one of `ports`.
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports,
                          PortId session_port, std::uint32_t session);
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports);
  gsmp::FailureCode check_ports(const gsmp::DeleteElement& element) const;
  void fail_request(Request& request, gsmp::FailureCode code);
  // The request copied, unless its success wants no answer; or its failure.
  void conclude(Request& request, gsmp::FailureCode code);
  template <class M>
  void fail_with(Request& request, M& message, gsmp::FailureCode code);  // with what it says
  // `ask` calls the table once for each of the request's parts, with the tickets of request id
  // `asking_`. Then finish(), now or when the table has completed them all. Refuses with 19 when too
  // many requests are open: `ask` is not called.
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
  // `branches` is not empty; in as many parts as they need.
  void report(Request& request, const gsmp::ReportRequest& message, const TableReport& branches);
  // The ports a message of the region model means, checked; without any: it was answered.
  std::vector<PortId> region_ports(Request& request, PortId port, std::uint32_t session,
                                   bool all_ports);

  // ----- the answer of each request that the table has completed -----
  void finish(Request& request, const gsmp::AddBranch& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::DeleteBranches& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::VerifyTree& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::PortManagement& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::LabelRangeMessage& message, TableOutcome& outcome);
  void finish(Request& request, gsmp::ConnectionActivity& message, TableOutcome& outcome);
  void finish(Request& request, const gsmp::StatisticsRequest& message, TableOutcome& outcome);
  void finish(Request& request, const gsmp::ReportRequest& message, TableOutcome& outcome);
  // Whose answer is a copy of the request, or its failure.
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
  bool cold_ = true;  // no adjacency yet since the start
  Refusals refusals_;
  AgentCounters counters_;
  std::uint64_t last_request_ = 0;  // number of the last request that the table was asked
  std::uint64_t asking_ = 0;        // the one in whose call to the table we are; 0: none
  TableOutcome asked_;              // of that one
  OpenRequests open_;
  std::vector<TimePoint> invalid_label_next_;  // by port: no event before, when flow control is off
  std::vector<AgentNotice> notices_;
};

}  // namespace xbind::emulator
