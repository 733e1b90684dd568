// The switch's side of GSMP: every controller that connects gets an adjacency, and its requests are
// carried out on the fabric strictly in the order they came, and answered in that order.
//
// Per request the order of checks is: type known (3), long enough for its fields (2), ports exist
// (4), session number (5), partition (7), then the message's own rules (fabric.hpp). Answered: Add
// Branch, Delete Branches, Report Connection State, Switch, Port and All Ports Configuration; every
// other type is failure 3, with the request copied.
//
// Several controllers share the fabric and are not coordinated; each learns by Adjacency Update
// (85) how many there are. A controller whose stream is broken, or that falls silent, loses its
// connection; the others do not notice, and the cross-connects stay.
//
// PFlag: after a cold start the agent offers a new adjacency (1) until the first is established,
// then a recovered one (2), since it keeps its table while contact is lost. A controller that asks
// for 1 empties the table, for all.
//
// Octets in and out, time handed in. Not thread-safe.
#pragma once

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
#include "switchserver/emulator/fabric.hpp"
#include "switchserver/gsmp/adjacency_fsm.hpp"
#include "switchserver/gsmp/framing.hpp"
#include "switchserver/gsmp/message.hpp"

namespace xbind::emulator {

using ControllerId = Id<struct ControllerIdTag, std::uint64_t>;  // one connection; never reused

struct AgentOptions {
  std::uint64_t name = 0;  // 48 bits, not 0
  std::uint32_t port = 0;  // Sender Port of the adjacency
  std::uint8_t timer = 10;
  std::uint8_t partition = 0;  // other than 0: assigned to every controller
  std::uint16_t window = 256;
  std::uint16_t firmware_version = 0x0100;
  std::uint16_t switch_type = 0x5842;  // "XB"
  std::size_t controllers_max = 16;
  std::size_t response_octets_max = gsmp::kSentOctetsMax;  // longer answers come in parts
  // Answers that the owner has not taken yet; a controller that asks for more is cut off.
  std::size_t output_octets_max = 64U << 20;
};

using gsmp::name_from;  // a switch's 48-bit name, from the name it was started with

struct AgentCounters {
  std::uint64_t requests = 0;
  std::uint64_t failures_sent = 0;
  std::uint64_t branches_added = 0;  // successful Add Branch messages
  std::uint64_t branches_deleted = 0;
  std::uint64_t dropped = 0;  // too early, of another version, or nothing a switch is sent
};

// For the log.
struct AgentNotice {
  ControllerId controller;
  bool trouble = false;
  std::string text;
};

class SwitchAgent {
 public:
  // `fabric` outlives the agent. `random` gives instance numbers.
  SwitchAgent(Fabric& fabric, const AgentOptions& options, std::function<std::uint32_t()> random);

  // kExhausted beyond controllers_max: close the connection.
  Result<ControllerId> connected(TimePoint now);
  void closed(ControllerId controller, TimePoint now);
  void receive(ControllerId controller, std::span<const std::byte> octets, TimePoint now);
  void tick(TimePoint now);
  TimePoint next_deadline() const;

  // After any of the calls above, any controller may have output.
  std::vector<ControllerId> controllers() const;
  void take_output(ControllerId controller, wire::Buffer& into);  // swaps; empty if unknown
  // Why the connection is to be closed, once its output is sent; then closed().
  std::optional<std::string> to_close(ControllerId controller) const;
  std::vector<AgentNotice> take_notices();

  // The next `count` Add Branch requests whose ports, session and partition are right fail with
  // `code`.
  void refuse_next(std::uint64_t count, gsmp::FailureCode code);

  std::size_t adjacencies() const;
  const AgentCounters& counters() const { return counters_; }

 private:
  struct Controller {
    gsmp::Adjacency adjacency;
    gsmp::FrameReader frames;
    wire::Buffer output;
    std::optional<std::string> to_close;
  };
  struct Request;  // one request and where its answer goes
  using Controllers = std::map<ControllerId, Controller>;

  bool on_message(ControllerId id, Controller& controller, std::span<const std::byte> message,
                  TimePoint now);
  void on_adjacency(ControllerId id, Controller& controller, std::span<const std::byte> message,
                    TimePoint now);
  void on_up(ControllerId id, Controller& controller);
  void on_down(ControllerId id, std::string why);
  void cut_off(ControllerId id, Controller& controller, std::string why);
  void send_adjacency_update();

  void answer(Request& request);
  void serve(Request& request, const gsmp::AddBranch& message);
  void serve(Request& request, gsmp::DeleteBranches& message);
  void serve(Request& request, const gsmp::ReportRequest& message);
  void serve(Request& request, const gsmp::SwitchConfiguration& message);
  void serve(Request& request, const gsmp::PortConfigurationRequest& message);
  void serve(Request& request, const gsmp::AllPortsRequest& message);
  void fail_request(Request& request, gsmp::FailureCode code);
  // `entries` is not empty; in as many parts as they need.
  void report(Request& request, const gsmp::ReportRequest& message,
              const std::vector<Fabric::Entry>& entries);

  Fabric& fabric_;
  AgentOptions options_;
  std::function<std::uint32_t()> random_;
  Controllers controllers_;
  std::uint64_t last_controller_ = 0;
  bool cold_ = true;  // no adjacency yet since the start
  std::uint64_t refusals_ = 0;
  gsmp::FailureCode refusal_code_ = gsmp::FailureCode::kNone;
  AgentCounters counters_;
  std::vector<AgentNotice> notices_;
};

}  // namespace xbind::emulator
