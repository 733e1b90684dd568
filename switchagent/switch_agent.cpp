#include "switchagent/switch_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/failure_response.hpp"
#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

SwitchAgent::SwitchAgent(SwitchTable& table, AgentOptions options,
                         std::function<std::uint32_t()> random)
    : table_(table),
      options_(std::move(options)),
      random_(std::move(random)),
      handlers_(HandlerTable::all()),
      cold_(!options_.recovered),
      open_(options_.open_requests_max),
      events_(table, options_, controllers_, counters_),
      context_{table_, options_, counters_, notices_, refusals_, open_} {
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
  refusals_.set(count, code, type);
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
  events_.adjacency_update();
}

void SwitchAgent::on_down(ControllerId id, std::string why) {
  ++counters_.adjacencies_down;
  notices_.push_back({id, false, "adjacency down: " + std::move(why)});
  events_.adjacency_update();
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
    counters_.count_failure(FailureCode::kInvalidMessage);
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
  Request request{context_, message, *decoded, controller, id, now};
  answer(request);
}

void SwitchAgent::answer(Request& request) {
  if (const Handler* const handler = handlers_.find(request.header(), table_)) [[likely]]
    return handler->serve(request);
  // An event sent as a request is checked like one before it is refused.
  const gsmp::Header& header = request.header();
  const bool event = handlers_.row(header) == nullptr && exists_in(header.type, header.version);
  if (event && !gsmp::decode_body(request.decoded)) return request.fail_undecodable();
  request.fail(FailureCode::kNotImplemented);
}

// ----- the table ------------------------------------------------------------------------------

void SwitchAgent::completed(Ticket ticket, FailureCode code) {
  progressed(ticket, open_.note(ticket, code));
}

void SwitchAgent::completed(Ticket ticket, FailureCode code, TableReading reading) {
  progressed(ticket, open_.note(ticket, code, std::move(reading)));
}

void SwitchAgent::progressed(Ticket ticket, OpenRequests::Progress progress) {
  if (progress == OpenRequests::Progress::kNoted) [[likely]]
    return;
  if (progress == OpenRequests::Progress::kComplete) return answer_late(ticket.request);
  ++counters_.answers_unknown;
}

void SwitchAgent::answer_late(std::uint64_t id) {
  OpenRequests::Request open = open_.take(id);
  const auto found = open.from ? controllers_.find(*open.from) : controllers_.end();
  if (found == controllers_.end()) {
    ++counters_.answers_void;
    return;
  }
  Controller& controller = found->second;
  --controller.open_requests;
  // The request was decoded on arrival, so it must succeed again.
  const auto header = gsmp::decode_header(open.octets);
  XB_CHECK(header.has_value(), open.octets.size());
  const Handler* const handler = handlers_.row(header->header);
  XB_CHECK(handler != nullptr, open.octets.size());
  Request request{context_, open.octets, *header, controller, found->first, TimePoint{}};
  handler->finish(request, open.outcome);
  bound_output(found->first, controller);
}

void SwitchAgent::abandon(ControllerId id, Controller& controller) {
  if (controller.open_requests == 0) return;
  open_.abandon(id);
  controller.open_requests = 0;
}

void SwitchAgent::port_changed(MessageType event, PortId port, std::uint32_t session) {
  events_.raise(event, port, session);
}

void SwitchAgent::invalid_label(PortId port, Label label, TimePoint now) {
  events_.invalid_label(port, label, now);
}

}  // namespace xbind::switchagent
