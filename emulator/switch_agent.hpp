// The switch's side of GSMP: every controller that connects gets an adjacency, in version 3 or 1.1, and
// its requests are carried out on the fabric strictly in the order they came, and answered in that order.
//
// Per request the order of checks is: type known in its version, and in the model of traffic (3), long
// enough for its fields (2), ports exist (4), session number (5), partition (7), then a refusal that was
// asked for (refuse_next), then the message's own rules (fabric.hpp). The requests are served by group:
// agent_connections.cpp, agent_ports.cpp, agent_state.cpp, agent_configuration.cpp,
// agent_reservations.cpp, agent_region.cpp; events are agent_events.cpp.
//
// Several controllers share the fabric and the one partition, and are not coordinated; each learns by
// Adjacency Update (85) how many there are, and of every event on a port. A controller whose stream is
// broken, or that falls silent, loses its connection; the others do not notice, and the cross-connects
// stay.
//
// PFlag: after a cold start the agent offers a new adjacency (1) until the first is established,
// then a recovered one (2), since it keeps its table while contact is lost. A controller that asks
// for 1 empties the table, for all. A hot restart is a new agent with `recovered` over the same fabric,
// a cold one is a new fabric too.
//
// Events: their numbers and flags are the port's (Fabric::EventState). Invalid Label is held back by its
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
#include "emulator/fabric.hpp"
#include "gsmp/adjacency_fsm.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/message.hpp"

namespace xbind::emulator {

using ControllerId = Id<struct ControllerIdTag, std::uint64_t>;  // one connection; never reused

struct AgentOptions {
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;  // Sender Port of the adjacency
  std::uint8_t timer = 10;
  std::uint8_t partition = 0;                // other than 0: assigned to every controller
  std::vector<std::uint8_t> versions{3, 1};  // the highest first: {3, 1}, {3} or {1}
  bool recovered = false;       // after a hot restart: the first adjacency is offered with PFlag 2
  bool return_receipt = false;  // events ask to be acknowledged (version 3)
  bool region_model = false;    // MType 201, "xbind-sr", is offered
  std::uint16_t window = 256;
  std::uint16_t firmware_version = 0x0100;
  std::uint16_t switch_type = 0x5842;  // "XB"
  std::size_t controllers_max = 16;
  std::size_t response_octets_max = gsmp::kSentOctetsMax;  // longer answers come in parts
  // Answers that the owner has not taken yet; a controller that asks for more is cut off.
  std::size_t output_octets_max = 64U << 20;
};

using gsmp::name_from;  // a switch's 48-bit name, from the name it was started with

inline constexpr Duration kInvalidLabelRest = std::chrono::milliseconds{100};

struct AgentCounters {
  std::uint64_t requests = 0;
  std::uint64_t failures_sent = 0;
  std::uint64_t branches_added = 0;  // successful Add Branch messages
  std::uint64_t branches_deleted = 0;
  std::uint64_t dropped = 0;      // too early, of another version, or nothing a switch is sent
  std::uint64_t undecodable = 0;  // requests answered with failure 2 for their header or body
  std::uint64_t refused = 0;      // by refuse_next
  std::uint64_t events_sent = 0;  // to one controller each
  std::uint64_t events_held = 0;  // detected, but held back or nobody there
  std::uint64_t receipts = 0;     // acknowledgements of events
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

class SwitchAgent {
 public:
  // `fabric` outlives the agent, and has one agent at a time. `random` gives instance numbers.
  SwitchAgent(Fabric& fabric, AgentOptions options, std::function<std::uint32_t()> random);
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

  // ----- what happens to the switch -----
  // The line of a port goes down (event 81) or comes up again (80, with a new session number). Nothing
  // if it is so already. `port` exists.
  void set_line(PortId port, bool up, TimePoint now);
  // A port is pulled out with all its connections (84), or put in (83, new session). 1..ports.
  void set_installed(PortId port, bool installed, TimePoint now);
  // The next `count` requests of that type, of any type without one, whose ports, session and partition
  // are right fail with `code`. Takes the place of what is left of an earlier one.
  void refuse_next(std::uint64_t count, gsmp::FailureCode code,
                   std::optional<gsmp::MessageType> type = gsmp::MessageType::kAddBranch);

  std::size_t adjacencies() const;
  const AgentCounters& counters() const { return counters_; }

 private:
  struct Controller {
    gsmp::Adjacency adjacency;
    gsmp::FrameReader frames;
    wire::Buffer output;
    std::optional<std::string> to_close;

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
  void on_up(ControllerId id, Controller& controller);
  void on_down(ControllerId id, std::string why);
  void cut_off(ControllerId id, Controller& controller, std::string why);

  void send_adjacency_update();
  void raise(gsmp::MessageType type, PortId port, std::uint32_t session, Label label = {});
  void on_unknown_label(PortId port, Label label, TimePoint now);
  void send_event(gsmp::Event event);

  bool serves(const gsmp::Header& header) const;
  void answer(Request& request);
  // The first checks, in their order. `session_port` is one of `ports`, or of none.
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports,
                          PortId session_port, std::uint32_t session);
  gsmp::FailureCode check(Request& request, std::initializer_list<PortId> ports);
  void fail_request(Request& request, gsmp::FailureCode code);
  // The request copied, unless its success wants no answer; or its failure.
  void conclude(Request& request, gsmp::FailureCode code);
  template <class M>
  void fail_with(Request& request, M& message, gsmp::FailureCode code);  // with what it says

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
  // `entries` is not empty; in as many parts as they need.
  void report(Request& request, const gsmp::ReportRequest& message,
              const std::vector<Fabric::Entry>& entries);
  // The ports a message of the region model means, checked; without any: it was answered.
  std::vector<PortId> region_ports(Request& request, PortId port, std::uint32_t session,
                                   bool all_ports);

  struct Refusals {
    std::uint64_t left = 0;
    gsmp::FailureCode code = gsmp::FailureCode::kNone;
    std::optional<gsmp::MessageType> type;
  };

  Fabric& fabric_;
  AgentOptions options_;
  std::function<std::uint32_t()> random_;
  Controllers controllers_;
  std::uint64_t last_controller_ = 0;
  bool cold_ = true;  // no adjacency yet since the start
  Refusals refusals_;
  AgentCounters counters_;
  std::vector<TimePoint> invalid_label_next_;  // by port: no event before, when flow control is off
  std::vector<AgentNotice> notices_;
};

}  // namespace xbind::emulator
