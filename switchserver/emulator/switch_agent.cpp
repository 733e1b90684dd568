#include "switchserver/emulator/switch_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "switchserver/gsmp/codec.hpp"
#include "switchserver/gsmp/failure_response.hpp"

namespace xbind::emulator {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::ResultField;

SwitchAgent::SwitchAgent(Fabric& fabric, const AgentOptions& options,
                         std::function<std::uint32_t()> random)
    : fabric_(fabric), options_(options), random_(std::move(random)) {
  XB_CHECK(options_.name != 0, options_.name);
}

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
  adjacency.partition_flag = cold_ ? gsmp::kNewAdjacency : gsmp::kRecoveredAdjacency;
  const ControllerId id(++last_controller_);
  Controller& controller =
      controllers_.emplace(id, Controller{gsmp::Adjacency(adjacency, random_), {}, {}, {}})
          .first->second;
  controller.adjacency.start(now, controller.output);
  return id;
}

void SwitchAgent::closed(ControllerId id, TimePoint) {
  const auto found = controllers_.find(id);
  if (found == controllers_.end()) return;
  const bool was_up = found->second.adjacency.established() && !found->second.to_close;
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
  for (auto& [id, controller] : controllers_) {
    if (controller.to_close) continue;
    const bool was_up = controller.adjacency.established();
    if (controller.adjacency.tick(now, controller.output) != gsmp::AdjacencyChange::kLost) continue;
    controller.to_close = "nothing heard from the controller";
    notices_.push_back({id, true, *controller.to_close});
    if (was_up) on_down(id, "lost");
  }
}

TimePoint SwitchAgent::next_deadline() const {
  TimePoint next = kNever;
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

void SwitchAgent::refuse_next(std::uint64_t count, FailureCode code) {
  refusals_ = count;
  refusal_code_ = code;
}

std::size_t SwitchAgent::adjacencies() const {
  return static_cast<std::size_t>(std::ranges::count_if(controllers_, [](const auto& entry) {
    return !entry.second.to_close && entry.second.adjacency.established();
  }));
}

// ----- the adjacency --------------------------------------------------------------------------

void SwitchAgent::on_adjacency(ControllerId id, Controller& controller,
                               std::span<const std::byte> message, TimePoint now) {
  const auto decoded = gsmp::decode_adjacency(message);
  if (!decoded) {
    ++counters_.dropped;
    return;
  }
  switch (controller.adjacency.receive(*decoded, now, controller.output)) {
    case gsmp::AdjacencyChange::kNone:
    case gsmp::AdjacencyChange::kLost: return;
    case gsmp::AdjacencyChange::kUp: return on_up(id, controller);
    case gsmp::AdjacencyChange::kReset: return on_down(id, "the controller has begun anew");
  }
}

void SwitchAgent::on_up(ControllerId id, Controller& controller) {
  const gsmp::Adjacency& adjacency = controller.adjacency;
  // After a cold start there is nothing to forget; later only a controller's own wish empties the
  // table, not our offer of the start that others have already built upon.
  if (adjacency.peer_flag() == gsmp::kNewAdjacency) fabric_.clear();
  cold_ = false;
  for (auto& [other_id, other] : controllers_) {
    other.adjacency.set_flag(gsmp::kRecoveredAdjacency);
  }
  notices_.push_back({id, false,
                      fmt::format("adjacency with {}, pflag {}, {} branches in the table",
                                  gsmp::name_to_string(adjacency.peer().name),
                                  adjacency.effective_flag(), fabric_.branches())});
  send_adjacency_update();
}

void SwitchAgent::on_down(ControllerId id, std::string why) {
  notices_.push_back({id, false, "adjacency down: " + std::move(why)});
  send_adjacency_update();
}

void SwitchAgent::cut_off(ControllerId id, Controller& controller, std::string why) {
  const bool was_up = controller.adjacency.established();
  notices_.push_back({id, true, why});
  controller.to_close = std::move(why);
  if (was_up) on_down(id, "cut off");
}

void SwitchAgent::send_adjacency_update() {
  gsmp::Event event;
  event.header.type = MessageType::kAdjacencyUpdate;
  event.header.code = static_cast<FailureCode>(std::min<std::size_t>(adjacencies(), 255));
  for (auto& [id, controller] : controllers_) {
    if (controller.to_close || !controller.adjacency.established()) continue;
    event.header.partition = controller.adjacency.partition();
    gsmp::append_frame(controller.output, event);
  }
}

// ----- requests -------------------------------------------------------------------------------

struct SwitchAgent::Request {
  std::span<const std::byte> octets;
  gsmp::HeaderAndBody message;
  wire::Buffer& output;
  std::uint8_t partition;  // of the adjacency

  const gsmp::Header& header() const { return message.header; }
  bool in_partition() const { return header().partition == partition; }
};

namespace {

bool served(MessageType type) {
  return type == MessageType::kAddBranch || type == MessageType::kDeleteBranches ||
         type == MessageType::kReportConnectionState || type == MessageType::kSwitchConfiguration ||
         type == MessageType::kPortConfiguration || type == MessageType::kAllPortsConfiguration;
}

}  // namespace

bool SwitchAgent::on_message(ControllerId id, Controller& controller,
                             std::span<const std::byte> message, TimePoint now) {
  if (message[1] == static_cast<std::byte>(MessageType::kAdjacency)) {
    on_adjacency(id, controller, message, now);
    return true;
  }
  const auto decoded = gsmp::decode_header(message);
  if (!decoded) {
    if (decoded.error().refusal != gsmp::Refusal::kVersion && controller.adjacency.established()) {
      ++counters_.requests;
      ++counters_.failures_sent;
      gsmp::append_failure(controller.output, message, FailureCode::kInvalidMessage);
    } else {
      ++counters_.dropped;
    }
  } else if (!controller.adjacency.admit(now, controller.output) || !decoded->header.request()) {
    ++counters_.dropped;
  } else {
    ++counters_.requests;
    Request request{message, *decoded, controller.output, controller.adjacency.partition()};
    answer(request);
  }
  if (controller.output.size() <= options_.output_octets_max) return true;
  cut_off(id, controller,
          fmt::format("{} octets of answers wait to be sent", controller.output.size()));
  return false;
}

void SwitchAgent::answer(Request& request) {
  if (!served(request.header().type)) return fail_request(request, FailureCode::kNotImplemented);
  auto message = gsmp::decode_body(request.message);
  if (!message) return fail_request(request, FailureCode::kInvalidMessage);
  std::visit(
      [&](auto& one) {
        if constexpr (requires { serve(request, one); }) {
          serve(request, one);
        } else {
          fail_request(request, FailureCode::kNotImplemented);  // no request has this form
        }
      },
      *message);
}

void SwitchAgent::fail_request(Request& request, FailureCode code) {
  ++counters_.failures_sent;
  gsmp::append_failure(request.output, request.octets, code);
}

void SwitchAgent::serve(Request& request, const gsmp::AddBranch& message) {
  FailureCode code =
      fabric_.check_ports(message.input_port, message.output_port, message.port_session);
  if (code == FailureCode::kNone && !request.in_partition()) code = FailureCode::kInvalidPartition;
  if (code == FailureCode::kNone && refusals_ > 0) {
    --refusals_;
    code = refusal_code_;
  }
  if (code == FailureCode::kNone) code = fabric_.add_branch(message);
  if (code != FailureCode::kNone) return fail_request(request, code);
  ++counters_.branches_added;
  if (request.header().result == ResultField::kNoSuccessAck) return;
  gsmp::append_copy(request.output, request.octets, ResultField::kSuccess, FailureCode::kNone);
}

void SwitchAgent::serve(Request& request, gsmp::DeleteBranches& message) {
  if (!request.in_partition()) return fail_request(request, FailureCode::kInvalidPartition);
  bool all = true;
  for (gsmp::DeleteElement& element : message.elements) {
    element.error =
        fabric_.check_ports(element.input_port, element.output_port, element.port_session);
    if (element.error == FailureCode::kNone) {
      element.error =
          fabric_.delete_branch(element.input_port, gsmp::label_of(element.input_label),
                                element.output_port, gsmp::label_of(element.output_label));
    }
    all = all && element.error == FailureCode::kNone;
    if (element.error == FailureCode::kNone) ++counters_.branches_deleted;
  }
  if (all) {
    if (message.header.result == ResultField::kNoSuccessAck) return;
    message.elements.clear();
    message.header.result = ResultField::kSuccess;
  } else {
    ++counters_.failures_sent;
    message.header.result = ResultField::kFailure;
    message.header.code = FailureCode::kGeneral;
  }
  gsmp::append_frame(request.output, message);
}

void SwitchAgent::serve(Request& request, const gsmp::ReportRequest& message) {
  if (!fabric_.has(message.input_port)) return fail_request(request, FailureCode::kNoSuchPort);
  if (!request.in_partition()) return fail_request(request, FailureCode::kInvalidPartition);
  const Label wanted = gsmp::label_of(message.input_label);
  std::vector<Fabric::Entry> entries;
  if (message.input_label.has(gsmp::kFlagAll)) {
    entries = fabric_.connections_of(message.input_port);
  } else if (message.input_label.has(gsmp::kFlagVpi)) {
    entries = fabric_.connections_of(message.input_port);
    std::erase_if(entries, [&](const Fabric::Entry& entry) {
      return vpi_of(entry.input_label) != vpi_of(wanted);
    });
  } else if (const Connection* found = fabric_.find(message.input_port, wanted)) {
    entries.push_back({wanted, found});
  }
  if (entries.empty()) return fail_request(request, FailureCode::kGeneral);
  report(request, message, entries);
}

void SwitchAgent::report(Request& request, const gsmp::ReportRequest& message,
                         const std::vector<Fabric::Entry>& entries) {
  gsmp::ReportPart part;
  part.header = message.header;
  part.header.result = ResultField::kMore;
  part.input_port = message.input_port;
  std::size_t octets = gsmp::kReportFixedOctets;
  const auto send_part = [&] {
    gsmp::append_frame(request.output, part);
    part.records.clear();
    ++part.sequence;
    octets = gsmp::kReportFixedOctets;
  };
  for (const Fabric::Entry& entry : entries) {
    std::span<const Branch> rest(entry.connection->branches);
    while (!rest.empty()) {
      // A record is never split; a big multicast goes on in a new record of the next part.
      const std::size_t least = gsmp::kReportRecordOctets + gsmp::kReportBranchOctets;
      if (!part.records.empty() && octets + least > options_.response_octets_max) send_part();
      const std::size_t room =
          octets + least > options_.response_octets_max
              ? 1
              : (options_.response_octets_max - octets - gsmp::kReportRecordOctets) /
                    gsmp::kReportBranchOctets;
      if (rest.size() > room && !part.records.empty()) {
        send_part();
        continue;
      }
      const std::size_t taken = std::min({rest.size(), room, gsmp::kReportBranchesMax});
      gsmp::ReportRecord record;
      record.all = part.records.empty() && message.input_label.has(gsmp::kFlagAll);
      record.whole_vpi = part.records.empty() && message.input_label.has(gsmp::kFlagVpi);
      record.input_label = gsmp::label_field(entry.input_label);
      for (const Branch& branch : rest.first(taken)) {
        record.branches.push_back({branch.output_port, gsmp::label_field(branch.output_label)});
      }
      part.records.push_back(std::move(record));
      octets += gsmp::kReportRecordOctets + taken * gsmp::kReportBranchOctets;
      rest = rest.subspan(taken);
    }
  }
  part.header.result = ResultField::kSuccess;
  send_part();
}

void SwitchAgent::serve(Request& request, const gsmp::SwitchConfiguration& message) {
  if (!request.in_partition()) return fail_request(request, FailureCode::kInvalidPartition);
  gsmp::SwitchConfiguration response;  // the default model, no offers
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.firmware_version = options_.firmware_version;
  response.window = options_.window;
  response.switch_type = options_.switch_type;
  response.switch_name = options_.name;
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::PortConfigurationRequest& message) {
  if (!fabric_.has(message.port)) return fail_request(request, FailureCode::kNoSuchPort);
  if (!request.in_partition()) return fail_request(request, FailureCode::kInvalidPartition);
  gsmp::PortConfiguration response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.record = fabric_.port_record(message.port);
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::AllPortsRequest& message) {
  if (!request.in_partition()) return fail_request(request, FailureCode::kInvalidPartition);
  gsmp::AllPortsPart part;
  part.header = message.header;
  part.header.result = ResultField::kMore;
  part.total = static_cast<std::uint16_t>(fabric_.ports());
  constexpr std::size_t kFixedOctets = gsmp::kHeaderOctets + 4;
  std::size_t octets = kFixedOctets;
  for (std::uint32_t port = 1; port <= fabric_.ports(); ++port) {
    gsmp::PortRecord record = fabric_.port_record(PortId(port));
    const std::size_t more = encoded_octets(record);
    if (!part.records.empty() && octets + more > options_.response_octets_max) {
      gsmp::append_frame(request.output, part);
      part.records.clear();
      octets = kFixedOctets;
    }
    octets += more;
    part.records.push_back(std::move(record));
  }
  part.header.result = ResultField::kSuccess;
  gsmp::append_frame(request.output, part);
}

}  // namespace xbind::emulator
