// Configuration: RFC 3292 section 8. Always answered.
#include "switchagent/agent_request.hpp"

namespace xbind::switchagent {

using gsmp::FailureCode;
using gsmp::ResultField;

void SwitchAgent::serve(Request& request, const gsmp::SwitchConfiguration& message) {
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  gsmp::SwitchConfiguration response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.firmware_version = options_.firmware_version;
  response.window = options_.window;
  response.switch_type = options_.switch_type;
  response.switch_name = options_.name;
  const Reservations* const reservations = table_.reservations();
  response.max_reservations = reservations == nullptr ? 0 : reservations->max();
  // A table without a region model has the default model, permanently.
  RegionModel none(0);
  none.settle(kModelDefault);
  RegionModel& model = table_.region() == nullptr ? none : *table_.region();
  // The first request settles the model for all controllers. Version 1.1 does not request one.
  const std::uint8_t wanted = message.model_types[0];
  const bool offered = wanted == kModelDefault || (wanted == kModelRegion && options_.region_model);
  if (message.header.version != 1 && offered && !model.settled() && table_.branches() == 0)
    model.settle(wanted);
  response.model_types[0] = model.model();
  if (options_.region_model && !model.settled()) response.model_types[1] = kModelRegion;
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::PortConfigurationRequest& message) {
  if (const auto code = check(request, {message.port}); code != FailureCode::kNone)
    return fail_request(request, code);
  gsmp::PortConfiguration response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.record = table_.port_record(message.port);
  gsmp::append_frame(request.output, response);
}

void SwitchAgent::serve(Request& request, const gsmp::AllPortsRequest& message) {
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  const std::size_t records_max =
      message.header.version == 1 ? gsmp::v1::kPortRecordsMax : table_.ports();
  gsmp::AllPortsPart part;
  part.header = message.header;
  part.header.result = ResultField::kMore;
  part.total = static_cast<std::uint16_t>(table_.installed_ports());
  constexpr std::size_t kFixedOctets = gsmp::kHeaderOctets + 4;
  std::size_t octets = kFixedOctets;
  for (std::uint32_t port = 1; port <= table_.ports(); ++port) {
    if (!table_.port_session(PortId(port))) continue;
    gsmp::PortRecord record = table_.port_record(PortId(port));
    const std::size_t more = encoded_octets(record);
    if (part.records.size() >= records_max ||
        (!part.records.empty() && octets + more > options_.response_octets_max)) {
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

void SwitchAgent::serve(Request& request, const gsmp::ServiceConfigurationRequest& message) {
  if (const auto code = check(request, {}); code != FailureCode::kNone)
    return fail_request(request, code);
  gsmp::ServiceConfiguration response;
  response.header = message.header;
  response.header.result = ResultField::kSuccess;
  response.services = table_.services();
  gsmp::append_frame(request.output, response);
}

}  // namespace xbind::switchagent
