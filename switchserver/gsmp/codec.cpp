#include "switchserver/gsmp/codec.hpp"

#include <utility>

namespace xbind::gsmp {
namespace {

template <class T>
Decoded<Message> widen(Decoded<T>&& decoded) {
  if (!decoded) return tl::make_unexpected(decoded.error());
  return Message(std::in_place_type<T>, *std::move(decoded));
}

}  // namespace

Decoded<Message> decode_body(const HeaderAndBody& message) {
  const auto& [header, body] = message;
  switch (header.type) {
    case MessageType::kAdjacency: break;
    case MessageType::kAddBranch:
    case MessageType::kVpcAddBranch: return widen(decode_add_branch(header, body));
    case MessageType::kDeleteBranches: return widen(decode_delete_branches(header, body));
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
    case MessageType::kPortUp:
    case MessageType::kPortDown:
    case MessageType::kInvalidLabel:
    case MessageType::kNewPort:
    case MessageType::kDeadPort:
    case MessageType::kAdjacencyUpdate: return widen(decode_event(header, body));
    case MessageType::kDeleteTree:
    case MessageType::kVerifyTree:
    case MessageType::kDeleteAllInput:
    case MessageType::kDeleteAllOutput:
    case MessageType::kMoveOutputBranch:
    case MessageType::kMoveInputBranch:
    case MessageType::kVpcMoveOutputBranch:
    case MessageType::kVpcMoveInputBranch:
    case MessageType::kPortManagement:
    case MessageType::kLabelRange:
    case MessageType::kConnectionActivity:
    case MessageType::kPortStatistics:
    case MessageType::kConnectionStatistics:
    case MessageType::kServiceConfiguration:
    case MessageType::kReservationRequest:
    case MessageType::kDeleteReservation:
    case MessageType::kDeleteAllReservations: break;
  }
  return widen(decode_opaque(header, body));  // also every number that has no name
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
  std::visit([&out](const auto& one) { encode(one, out); }, message);
}

}  // namespace xbind::gsmp
