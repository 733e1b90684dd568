#include "switchagent/switch_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "gsmp/codec.hpp"
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

SwitchAgent::SwitchAgent(SwitchTable& table, AgentOptions options,
                         std::function<std::uint32_t()> random)
    : table_(table),
      options_(std::move(options)),
      random_(std::move(random)),
      cold_(!options_.recovered),
      invalid_label_next_(table.ports()) {
  XB_CHECK(options_.name != 0, options_.name);
  table_.set_client(this);
}

SwitchAgent::~SwitchAgent() { table_.set_client(nullptr); }

// ----- connections ----------------------------------------------------------------------------

Result<ControllerId> SwitchAgent::connected(TimePoint now) {
  if (controllers_.size() >= options_.controllers_max) {
    return fail(ErrorCode::kExhausted, "{} controllers are connected already", controllers_.size());
  }
  gsmp::AdjacencyOptions adjacency;
  adjacency.master = false;
  adjacency.name = options_.name;
  adjacency.port = options_.port;
  adjacency.timer = options_.timer;
  adjacency.partition = options_.partition;
  adjacency.partition_type =
      options_.partition == 0 ? gsmp::kPartitionNone : gsmp::kPartitionAssigned;
  adjacency.versions = options_.versions;
  adjacency.partition_flag = cold_ ? gsmp::kNewAdjacency : gsmp::kRecoveredAdjacency;
  const ControllerId id(++last_controller_);
  Controller& controller =
      controllers_.emplace(id, Controller{gsmp::Adjacency(adjacency, random_), {}, {}, {}, 0})
          .first->second;
  controller.adjacency.start(now, controller.output);
  return id;
}

void SwitchAgent::closed(ControllerId id, TimePoint) {
  const auto found = controllers_.find(id);
  if (found == controllers_.end()) return;
  const bool was_up = found->second.adjacency.established() && !found->second.to_close;
  abandon(id, found->second);
  controllers_.erase(found);
  if (was_up) on_down(id, "connection closed");
}

void SwitchAgent::receive(ControllerId id, std::span<const std::byte> octets, TimePoint now) {
  const auto found = controllers_.find(id);
  if (found == controllers_.end()) return;
  Controller& controller = found->second;
  if (controller.to_close) return;
  const auto broken = controller.frames.feed(octets, [&](std::span<const std::byte> message) {
    return on_message(id, controller, message, now);
  });
  if (broken && !controller.to_close) {
    cut_off(id, controller, "stream broken: " + to_string(*broken));
  }
}

void SwitchAgent::tick(TimePoint now) {
  table_.tick(now);
  for (auto& [id, controller] : controllers_) {
    if (controller.to_close) continue;
    const bool was_up = controller.adjacency.established();
    if (controller.adjacency.tick(now, controller.output) != gsmp::AdjacencyChange::kLost) continue;
    abandon(id, controller);
    controller.to_close = "nothing heard from the controller";
    notices_.push_back({id, true, *controller.to_close});
    if (was_up) on_down(id, "lost");
  }
}

TimePoint SwitchAgent::next_deadline() const {
  TimePoint next = table_.next_deadline();
  for (const auto& [id, controller] : controllers_) {
    if (!controller.to_close) next = std::min(next, controller.adjacency.next_deadline());
  }
  return next;
}

std::vector<ControllerId> SwitchAgent::controllers() const {
  std::vector<ControllerId> ids;
  for (const auto& [id, controller] : controllers_) ids.push_back(id);
  return ids;
}

void SwitchAgent::take_output(ControllerId id, wire::Buffer& into) {
  into.clear();
  const auto found = controllers_.find(id);
  if (found != controllers_.end()) std::swap(into, found->second.output);
}

std::optional<std::string> SwitchAgent::to_close(ControllerId id) const {
  const auto found = controllers_.find(id);
  return found == controllers_.end() ? std::nullopt : found->second.to_close;
}

std::vector<AgentNotice> SwitchAgent::take_notices() { return std::exchange(notices_, {}); }

void SwitchAgent::refuse_next(std::uint64_t count, FailureCode code,
                              std::optional<MessageType> type) {
  refusals_ = {count, code, type};
}

std::size_t SwitchAgent::adjacencies() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(controllers_, [](const auto& entry) { return entry.second.heard(); }));
}

// ----- the adjacency --------------------------------------------------------------------------

void SwitchAgent::on_adjacency(ControllerId id, Controller& controller,
                               std::span<const std::byte> message, TimePoint now) {
  const auto decoded = gsmp::decode_adjacency(message);
  if (!decoded) {
    ++counters_.dropped;
    return;
  }
  const gsmp::AdjacencyChange change =
      controller.adjacency.receive(*decoded, now, controller.output);
  // Requests of the old link instance must not be answered on the new one.
  if (change != gsmp::AdjacencyChange::kNone) abandon(id, controller);
  switch (change) {
    case gsmp::AdjacencyChange::kNone:
    case gsmp::AdjacencyChange::kLost: return;
    case gsmp::AdjacencyChange::kUp: return on_up(id, controller, now);
    case gsmp::AdjacencyChange::kReset:
      return on_down(id, "the controller has restarted the adjacency");
  }
}

void SwitchAgent::on_up(ControllerId id, Controller& controller, TimePoint now) {
  const gsmp::Adjacency& adjacency = controller.adjacency;
  // After a cold start the table is empty. Later only a controller's own PFlag 1 empties it, not
  // our initial offer: other controllers may already have connections.
  if (adjacency.peer_flag() == gsmp::kNewAdjacency || planted(Bug::kTableCleared))
    table_.clear(now);
  cold_ = false;
  ++counters_.adjacencies_up;
  for (auto& [other_id, other] : controllers_) {
    other.adjacency.set_flag(gsmp::kRecoveredAdjacency);
  }
  notices_.push_back(
      {id, false,
       fmt::format("adjacency with {}, version {}, pflag {}, {} branches in the table",
                   gsmp::name_to_string(adjacency.peer().name), adjacency.version(),
                   adjacency.effective_flag(), table_.branches())});
  send_adjacency_update();
}

void SwitchAgent::on_down(ControllerId id, std::string why) {
  ++counters_.adjacencies_down;
  notices_.push_back({id, false, "adjacency down: " + std::move(why)});
  send_adjacency_update();
}

void SwitchAgent::cut_off(ControllerId id, Controller& controller, std::string why) {
  const bool was_up = controller.adjacency.established();
  abandon(id, controller);
  notices_.push_back({id, true, why});
  controller.to_close = std::move(why);
  if (was_up) on_down(id, "cut off");
}

// ----- requests -------------------------------------------------------------------------------

bool SwitchAgent::on_message(ControllerId id, Controller& controller,
                             std::span<const std::byte> message, TimePoint now) {
  if (message[1] == static_cast<std::byte>(MessageType::kAdjacency)) {
    on_adjacency(id, controller, message, now);
  } else {
    on_other(id, controller, message, now);
  }
  return bound_output(id, controller);
}

bool SwitchAgent::bound_output(ControllerId id, Controller& controller) {
  if (controller.to_close) return false;  // a late answer closed the connection during this request
  if (controller.output.size() <= options_.output_octets_max) return true;
  cut_off(id, controller,
          fmt::format("{} octets of answers wait to be sent", controller.output.size()));
  return false;
}

void SwitchAgent::on_other(ControllerId id, Controller& controller,
                           std::span<const std::byte> message, TimePoint now) {
  const auto decoded = gsmp::decode_header(message);
  if (!decoded) {
    const gsmp::Adjacency& adjacency = controller.adjacency;
    if (!adjacency.established() || std::to_integer<unsigned>(message[0]) != adjacency.version()) {
      ++counters_.dropped;
      return;
    }
    ++counters_.requests;
    ++counters_.undecodable;
    count_failure(FailureCode::kInvalidMessage);
    gsmp::append_failure(controller.output, message, FailureCode::kInvalidMessage);
    return;
  }
  const gsmp::Header& header = decoded->header;
  if (!controller.adjacency.admit(header.version, now, controller.output)) {
    ++counters_.dropped;
    return;
  }
  if (!header.request()) {
    const bool receipt =
        header.result == ResultField::kSuccess && gsmp::event_flag(header.type) != 0;
    ++(receipt ? counters_.receipts : counters_.dropped);
    return;
  }
  ++counters_.requests;
  ++counters_.requests_of[static_cast<std::uint8_t>(header.type)];
  Request request{message, *decoded, controller, id, now};
  answer(request);
}

bool SwitchAgent::serves(const gsmp::Header& header) const {
  const auto number = static_cast<unsigned>(header.type);
  const auto first = static_cast<unsigned>(MessageType::kGetParameterSupport);
  const auto last = static_cast<unsigned>(MessageType::kGetSchedulableRegion);
  const bool of_region = number >= first && number <= last;
  const bool of_reservations = header.type == MessageType::kReservationRequest ||
                               header.type == MessageType::kDeleteReservation ||
                               header.type == MessageType::kDeleteAllReservations;
  if (of_reservations && table_.reservations() == nullptr) return false;
  return gsmp::exists_in(header.type, header.version) && (!of_region || region_active());
}

void SwitchAgent::answer(Request& request) {
  // Fast path for the most frequent request: not copied into a Message.
  if (request.header().type == MessageType::kAddBranch &&
      request.header().version == gsmp::kVersion) {
    if (const auto add = gsmp::decode_add_branch(request.header(), request.message.body))
      return serve(request, *add);
    ++counters_.undecodable;
    return fail_request(request, FailureCode::kInvalidMessage);
  }
  if (!serves(request.header())) return fail_request(request, FailureCode::kNotImplemented);
  auto message = gsmp::decode_body(request.message);
  if (!message) {
    ++counters_.undecodable;
    return fail_request(request, FailureCode::kInvalidMessage);
  }
  std::visit(
      [&](auto& one) {
        if constexpr (requires { serve(request, one); }) {
          serve(request, one);
        } else {
          fail_request(request, FailureCode::kNotImplemented);  // no request has this layout
        }
      },
      *message);
}

FailureCode SwitchAgent::check(Request& request, std::initializer_list<PortId> ports,
                               PortId session_port, std::uint32_t session) {
  for (const PortId port : ports) {
    if (port != session_port && !table_.port_session(port)) return FailureCode::kNoSuchPort;
  }
  const std::optional<std::uint32_t> current = table_.port_session(session_port);
  if (!current) return FailureCode::kNoSuchPort;
  if (*current != session) return FailureCode::kInvalidPortSession;
  return check(request, {});
}

FailureCode SwitchAgent::check(Request& request, std::initializer_list<PortId> ports) {
  for (const PortId port : ports) {
    if (!table_.port_session(port)) return FailureCode::kNoSuchPort;
  }
  if (!request.in_partition()) return FailureCode::kInvalidPartition;
  if (refusals_.left == 0 || (refusals_.type && *refusals_.type != request.header().type))
    return FailureCode::kNone;
  --refusals_.left;
  ++counters_.refused;
  return refusals_.code;
}

void SwitchAgent::count_failure(FailureCode code) {
  ++counters_.failures_sent;
  ++counters_.failures_with[static_cast<std::uint8_t>(code)];
}

void SwitchAgent::fail_request(Request& request, FailureCode code) {
  count_failure(code);
  ++counters_.failures_of[static_cast<std::uint8_t>(request.header().type)];
  gsmp::append_failure(request.output, request.octets, code);
}

void SwitchAgent::conclude(Request& request, FailureCode code) {
  if (code != FailureCode::kNone) return fail_request(request, code);
  if (!request.wants_success()) return;
  gsmp::append_copy(request.output, request.octets, ResultField::kSuccess, FailureCode::kNone);
}

}  // namespace xbind::switchagent
