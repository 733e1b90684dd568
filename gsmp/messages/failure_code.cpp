#include "gsmp/messages/failure_code.hpp"

#include <fmt/format.h>

#include <string_view>

namespace xbind::gsmp {
namespace {

std::string_view name(FailureCode code) {
  switch (code) {
    case FailureCode::kNone: return "none";
    case FailureCode::kUnspecified: return "unspecified";
    case FailureCode::kInvalidMessage: return "invalid request message";
    case FailureCode::kNotImplemented: return "not implemented";
    case FailureCode::kNoSuchPort: return "no such port";
    case FailureCode::kInvalidPortSession: return "invalid port session number";
    case FailureCode::kPortDown: return "port down";
    case FailureCode::kInvalidPartition: return "invalid partition";
    case FailureCode::kGeneral: return "general";
    case FailureCode::kNoSuchConnection: return "no such connection";
    case FailureCode::kNoSuchBranch: return "no such branch";
    case FailureCode::kInvalidInputLabel: return "invalid input label";
    case FailureCode::kInvalidOutputLabel: return "invalid output label";
    case FailureCode::kBidirectionalExists: return "bidirectional connection exists";
    case FailureCode::kInvalidServiceSelector: return "invalid service selector";
    case FailureCode::kNoResourcesForProfile: return "no resources for the profile";
    case FailureCode::kInsufficientResources: return "insufficient resources for the branch";
    case FailureCode::kOutOfResources: return "out of resources";
    case FailureCode::kReservationOutOfRange: return "reservation id out of range";
    case FailureCode::kReservationPortsDiffer: return "reservation is for other ports";
    case FailureCode::kReservationInUse: return "reservation id in use";
    case FailureCode::kNoSuchReservation: return "no such reservation";
    case FailureCode::kNoVpSwitching: return "no VP switching on the input port";
    case FailureCode::kNoMultipointVpc: return "no multipoint VPC";
    case FailureCode::kVpcOntoVcc: return "VPC onto VCC";
    case FailureCode::kVccOntoVpc: return "VCC onto VPC";
    case FailureCode::kVpOnNonAtmPort: return "VP switching on a port that is not ATM";
    case FailureCode::kBranchOnSamePort: return "branch already on that output port";
    case FailureCode::kTooManyMulticasts: return "too many multicast connections";
    case FailureCode::kTooManyBranches: return "too many branches";
    case FailureCode::kCannotLabelDifferently: return "cannot label branches differently";
    case FailureCode::kMultipointOntoBidirectional: return "multipoint onto bidirectional";
    case FailureCode::kCannotLabelBranch: return "cannot give that label to that branch";
    case FailureCode::kMulticastOther: return "other multicast trouble";
    case FailureCode::kReplaceInactive: return "connection replace not active";
    case FailureCode::kReplaceWithMultipoint: return "connection replace with M or B";
    case FailureCode::kLabelRangeImpossible: return "label range impossible";
    case FailureCode::kLabelRangeDisjoint: return "label range disjoint";
    case FailureCode::kNoMultipointLabels: return "no multipoint labels";
    case FailureCode::kRateFixed: return "rate fixed";
    case FailureCode::kRateOutOfRange: return "rate out of range";
    case FailureCode::kReplaceUnsupported: return "connection replace unsupported";
    case FailureCode::kOldLabelsInUse: return "labels of the old range still in use";
    case FailureCode::kNoSuchClass: return "no such traffic class";
    case FailureCode::kOutsideRegion: return "outside the schedulable region";
    case FailureCode::kNoSuchEstimator: return "no such estimator";
    case FailureCode::kUnsupportedParameter: return "parameter not supported";
    case FailureCode::kNoQosPerBranch: return "no different QoS per branch";
  }
  return {};
}

}  // namespace

std::string to_string(FailureCode code) {
  const std::string_view words = name(code);
  const unsigned number = static_cast<std::uint8_t>(code);
  if (!words.empty()) return fmt::format("{} ({})", words, number);
  if (number >= 60 && number <= 79) return fmt::format("of the QoS model ({})", number);
  if (number >= 128 && number <= 159) return fmt::format("of the optional model ({})", number);
  return fmt::format("code {}", number);
}

}  // namespace xbind::gsmp
