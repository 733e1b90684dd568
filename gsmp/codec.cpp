#include "gsmp/codec.hpp"

#include <utility>

#include "gsmp/versions.hpp"

namespace xbind::gsmp {
namespace {

template <class T>
Decoded<Message> widen(Decoded<T>&& decoded) {
  if (!decoded) return tl::make_unexpected(decoded.error());
  return Message(std::in_place_type<T>, *std::move(decoded));
}

Decoded<Message> decode_body_v1(const HeaderAndBody& message) {
  const auto& [header, body] = message;
  switch (header.type) {
    case MessageType::kAddBranch: return widen(v1::decode_add_branch(header, body));
    case MessageType::kDeleteBranches: return widen(v1::decode_delete_branch(header, body));
    case MessageType::kDeleteTree: return widen(v1::decode_delete_tree(header, body));
    case MessageType::kVerifyTree: return widen(v1::decode_verify_tree(header, body));
    case MessageType::kDeleteAllInput: return widen(v1::decode_delete_all(header, body));
    case MessageType::kMoveOutputBranch: return widen(v1::decode_move_branch(header, body));
    case MessageType::kPortManagement: return widen(v1::decode_port_management(header, body));
    case MessageType::kConnectionActivity:
      return widen(v1::decode_connection_activity(header, body));
    case MessageType::kPortStatistics:
    case MessageType::kConnectionStatistics:
      return header.success() ? widen(v1::decode_statistics(header, body))
                              : widen(v1::decode_statistics_request(header, body));
    case MessageType::kSwitchConfiguration:
      return widen(v1::decode_switch_configuration(header, body));
    case MessageType::kPortConfiguration:
      return header.success() ? widen(v1::decode_port_configuration(header, body))
                              : widen(v1::decode_port_configuration_request(header, body));
    case MessageType::kAllPortsConfiguration:
      return header.success() ? widen(v1::decode_all_ports_part(header, body))
                              : widen(v1::decode_all_ports_request(header, body));
    case MessageType::kPortUp:
    case MessageType::kPortDown:
    case MessageType::kInvalidLabel:
    case MessageType::kNewPort:
    case MessageType::kDeadPort: return widen(v1::decode_event(header, body));
    default: return widen(decode_opaque(header, body));
  }
}

}  // namespace

Decoded<Message> decode_body(const HeaderAndBody& message) {
  const auto& [header, body] = message;
  if (header.version == v1::kVersion) return decode_body_v1(message);
  switch (header.type) {
    case MessageType::kAdjacency: break;
    case MessageType::kAddBranch:
    case MessageType::kVpcAddBranch: return widen(decode_add_branch(header, body));
    case MessageType::kDeleteBranches: return widen(decode_delete_branches(header, body));
    case MessageType::kDeleteTree: return widen(decode_delete_tree(header, body));
    case MessageType::kDeleteAllInput:
    case MessageType::kDeleteAllOutput: return widen(decode_delete_all(header, body));
    case MessageType::kMoveOutputBranch:
    case MessageType::kVpcMoveOutputBranch: return widen(decode_move_output_branch(header, body));
    case MessageType::kMoveInputBranch:
    case MessageType::kVpcMoveInputBranch: return widen(decode_move_input_branch(header, body));
    case MessageType::kReservationRequest: return widen(decode_reservation_request(header, body));
    case MessageType::kDeleteReservation: return widen(decode_delete_reservation(header, body));
    case MessageType::kDeleteAllReservations:
      return widen(decode_delete_all_reservations(header, body));
    case MessageType::kPortManagement: return widen(decode_port_management(header, body));
    case MessageType::kLabelRange: return widen(decode_label_range(header, body));
    case MessageType::kConnectionActivity: return widen(decode_connection_activity(header, body));
    case MessageType::kPortStatistics:
    case MessageType::kConnectionStatistics:
      return header.success() ? widen(decode_statistics(header, body))
                              : widen(decode_statistics_request(header, body));
    case MessageType::kReportConnectionState:
      return header.success() ? widen(decode_report_part(header, body))
                              : widen(decode_report_request(header, body));
    case MessageType::kSwitchConfiguration: return widen(decode_switch_configuration(header, body));
    case MessageType::kPortConfiguration:
      return header.success() ? widen(decode_port_configuration(header, body))
                              : widen(decode_port_configuration_request(header, body));
    case MessageType::kAllPortsConfiguration:
      return header.success() ? widen(decode_all_ports_part(header, body))
                              : widen(decode_all_ports_request(header, body));
    case MessageType::kServiceConfiguration:
      return header.success() ? widen(decode_service_configuration(header, body))
                              : widen(decode_service_configuration_request(header, body));
    case MessageType::kPortUp:
    case MessageType::kPortDown:
    case MessageType::kInvalidLabel:
    case MessageType::kNewPort:
    case MessageType::kDeadPort:
    case MessageType::kAdjacencyUpdate: return widen(decode_event(header, body));
    case MessageType::kGetParameterSupport: return widen(decode_parameter_support(header, body));
    case MessageType::kSetTrafficClasses:
    case MessageType::kGetTrafficClasses: return widen(decode_traffic_classes(header, body));
    case MessageType::kGetEstimationSupport: return widen(decode_estimation_support(header, body));
    case MessageType::kSetEstimationPolicy:
    case MessageType::kGetEstimationPolicy: return widen(decode_estimation_policy(header, body));
    case MessageType::kSetSchedulableRegion:
    case MessageType::kGetSchedulableRegion: return widen(decode_schedulable_region(header, body));
    case MessageType::kVerifyTree: break;  // removed in version 3: always failure 3
  }
  return widen(decode_opaque(header, body));  // also every unknown type
}

Decoded<Message> decode(std::span<const std::byte> octets) {
  if (octets.size() >= 2 && octets[1] == static_cast<std::byte>(MessageType::kAdjacency)) {
    return widen(decode_adjacency(octets));
  }
  const Decoded<HeaderAndBody> message = decode_header(octets);
  if (!message) return tl::make_unexpected(message.error());
  return decode_body(*message);
}

void encode(const Message& message, wire::Writer& out) {
  std::visit([&out](const auto& one) { encode_in_its_version(one, out); }, message);
}

}  // namespace xbind::gsmp
