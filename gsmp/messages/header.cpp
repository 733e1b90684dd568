#include "gsmp/messages/header.hpp"

#include <fmt/format.h>

#include <string_view>

#include "gsmp/messages/header_v1.hpp"

namespace xbind::gsmp {
namespace {

std::string_view name(MessageType type) {
  switch (type) {
    case MessageType::kAdjacency: return "adjacency";
    case MessageType::kAddBranch: return "add branch";
    case MessageType::kDeleteBranches: return "delete branches";
    case MessageType::kDeleteTree: return "delete tree";
    case MessageType::kVerifyTree: return "verify tree";
    case MessageType::kDeleteAllInput: return "delete all input port";
    case MessageType::kDeleteAllOutput: return "delete all output port";
    case MessageType::kMoveOutputBranch: return "move output branch";
    case MessageType::kMoveInputBranch: return "move input branch";
    case MessageType::kVpcAddBranch: return "vpc add branch";
    case MessageType::kVpcMoveOutputBranch: return "vpc move output branch";
    case MessageType::kVpcMoveInputBranch: return "vpc move input branch";
    case MessageType::kPortManagement: return "port management";
    case MessageType::kLabelRange: return "label range";
    case MessageType::kConnectionActivity: return "connection activity";
    case MessageType::kPortStatistics: return "port statistics";
    case MessageType::kConnectionStatistics: return "connection statistics";
    case MessageType::kReportConnectionState: return "report connection state";
    case MessageType::kSwitchConfiguration: return "switch configuration";
    case MessageType::kPortConfiguration: return "port configuration";
    case MessageType::kAllPortsConfiguration: return "all ports configuration";
    case MessageType::kServiceConfiguration: return "service configuration";
    case MessageType::kReservationRequest: return "reservation";
    case MessageType::kDeleteReservation: return "delete reservation";
    case MessageType::kDeleteAllReservations: return "delete all reservations";
    case MessageType::kPortUp: return "port up";
    case MessageType::kPortDown: return "port down";
    case MessageType::kInvalidLabel: return "invalid label";
    case MessageType::kNewPort: return "new port";
    case MessageType::kDeadPort: return "dead port";
    case MessageType::kAdjacencyUpdate: return "adjacency update";
    case MessageType::kGetParameterSupport: return "get parameter support";
    case MessageType::kSetTrafficClasses: return "set traffic classes";
    case MessageType::kGetTrafficClasses: return "get traffic classes";
    case MessageType::kGetEstimationSupport: return "get estimation support";
    case MessageType::kSetEstimationPolicy: return "set estimation policy";
    case MessageType::kGetEstimationPolicy: return "get estimation policy";
    case MessageType::kSetSchedulableRegion: return "set schedulable region";
    case MessageType::kGetSchedulableRegion: return "get schedulable region";
  }
  return {};
}

}  // namespace

bool exists_in(MessageType type, std::uint8_t version) {
  if (version == kVersion) return type != MessageType::kVerifyTree && !name(type).empty();
  if (version != v1::kVersion) return false;
  switch (type) {
    case MessageType::kAdjacency:
    case MessageType::kAddBranch:
    case MessageType::kDeleteBranches:
    case MessageType::kDeleteTree:
    case MessageType::kVerifyTree:
    case MessageType::kDeleteAllInput:
    case MessageType::kMoveOutputBranch:
    case MessageType::kPortManagement:
    case MessageType::kConnectionActivity:
    case MessageType::kPortStatistics:
    case MessageType::kConnectionStatistics:
    case MessageType::kSwitchConfiguration:
    case MessageType::kPortConfiguration:
    case MessageType::kAllPortsConfiguration:
    case MessageType::kPortUp:
    case MessageType::kPortDown:
    case MessageType::kInvalidLabel:
    case MessageType::kNewPort:
    case MessageType::kDeadPort: return true;
    default: return false;
  }
}

std::string to_string(MessageType type) {
  const std::string_view words = name(type);
  return words.empty() ? fmt::format("type {}", static_cast<unsigned>(type)) : std::string(words);
}

std::string to_string(ResultField result) {
  switch (result) {
    case ResultField::kEvent: return "event";
    case ResultField::kNoSuccessAck: return "request without success ack";
    case ResultField::kAckAll: return "request";
    case ResultField::kSuccess: return "success";
    case ResultField::kFailure: return "failure";
    case ResultField::kMore: return "success, more to come";
    case ResultField::kReturnReceipt: return "event with return receipt";
  }
  return fmt::format("result {}", static_cast<unsigned>(result));
}

std::string to_string(const Header& header) {
  std::string words = fmt::format("{} {}", to_string(header.type), to_string(header.result));
  if (header.type == MessageType::kAdjacencyUpdate) {
    words += fmt::format(", {} adjacencies", static_cast<unsigned>(header.code));
  } else if (header.code != FailureCode::kNone) {
    words += fmt::format(": {}", to_string(header.code));
  }
  if (header.transaction != 0) words += fmt::format(", transaction {}", header.transaction);
  if (header.partition != 0) words += fmt::format(", partition {}", header.partition);
  return words;
}

}  // namespace xbind::gsmp
