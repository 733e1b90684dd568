// Switch Configuration, Port Configuration, All Ports Configuration, Service Configuration:
// RFC 3292 section 8. Always answered, without the table's completions.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "switchagent/messages/handlers.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::MessageType;
using gsmp::ResultField;

struct SwitchConfigurationHandler {
  using Message = gsmp::SwitchConfiguration;

  static void serve(Request& request, const Message& message) {
    if (!request.passes()) return;
    const AgentOptions& options = request.agent.options;
    SwitchTable& table = request.table;
    gsmp::SwitchConfiguration response;
    response.header = message.header;
    response.firmware_version = options.firmware_version;
    response.window = options.window;
    response.switch_type = options.switch_type;
    response.switch_name = options.name;
    const Reservations* const reservations = table.reservations();
    response.max_reservations = reservations == nullptr ? 0 : reservations->max();
    // A table without a region model has the default model, permanently.
    RegionModel none(0);
    none.settle(kModelDefault);
    RegionModel& model = table.region() == nullptr ? none : *table.region();
    // The first request settles the model for all controllers. Version 1.1 does not request one.
    const std::uint8_t wanted = message.model_types[0];
    const bool offered =
        wanted == kModelDefault || (wanted == kModelRegion && options.region_model);
    if (message.header.version != 1 && offered && !model.settled() && table.branches() == 0)
      model.settle(wanted);
    response.model_types[0] = model.model();
    if (options.region_model && !model.settled()) response.model_types[1] = kModelRegion;
    request.succeed_with(response);
  }
};

struct PortConfigurationHandler {
  using Message = gsmp::PortConfigurationRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes({message.port})) return;
    const SwitchTable& table = request.table;
    gsmp::PortConfiguration response;
    response.header = message.header;
    response.record = table.port_record(message.port);
    request.succeed_with(response);
  }
};

struct AllPortsConfigurationHandler {
  using Message = gsmp::AllPortsRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes()) return;
    const AgentOptions& options = request.agent.options;
    const SwitchTable& table = request.table;
    const std::size_t records_max =
        message.header.version == 1 ? gsmp::v1::kPortRecordsMax : table.ports();
    gsmp::AllPortsPart part;
    part.header = message.header;
    part.header.result = ResultField::kMore;
    part.total = static_cast<std::uint16_t>(table.installed_ports());
    constexpr std::size_t kFixedOctets = gsmp::kHeaderOctets + 4;
    std::size_t octets = kFixedOctets;
    for (std::uint32_t port = 1; port <= table.ports(); ++port) {
      if (!table.port_session(PortId(port))) continue;
      gsmp::PortRecord record = table.port_record(PortId(port));
      const std::size_t more = encoded_octets(record);
      if (part.records.size() >= records_max ||
          (!part.records.empty() && octets + more > options.response_octets_max)) {
        gsmp::append_frame(request.output, part);
        part.records.clear();
        octets = kFixedOctets;
      }
      octets += more;
      part.records.push_back(std::move(record));
    }
    request.succeed_with(part);
  }
};

struct ServiceConfigurationHandler {
  using Message = gsmp::ServiceConfigurationRequest;

  static void serve(Request& request, const Message& message) {
    if (!request.passes()) return;
    const SwitchTable& table = request.table;
    gsmp::ServiceConfiguration response;
    response.header = message.header;
    response.services = table.services();
    request.succeed_with(response);
  }
};

}  // namespace

HandlerRows configuration_handlers() {
  static constexpr Handler kRows[] = {
      handler_of<SwitchConfigurationHandler>(MessageType::kSwitchConfiguration),
      handler_of<PortConfigurationHandler>(MessageType::kPortConfiguration),
      handler_of<AllPortsConfigurationHandler>(MessageType::kAllPortsConfiguration),
      handler_of<ServiceConfigurationHandler>(MessageType::kServiceConfiguration),
  };
  return kRows;
}

}  // namespace xbind::switchagent
