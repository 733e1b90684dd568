#include "gsmp/messages/failure_code_v1.hpp"

namespace xbind::gsmp::v1 {

std::uint8_t failure_code_on_wire(FailureCode code) {
  constexpr std::uint8_t kUnspecified = 1;
  constexpr std::uint8_t kInvalidMessage = 2;
  constexpr std::uint8_t kNotImplemented = 3;
  constexpr std::uint8_t kLabelOutOfRange = 7;
  constexpr std::uint8_t kCannotLabelBranch = 13;
  constexpr std::uint8_t kMulticastOther = 14;
  constexpr std::uint8_t kOutOfResources = 15;
  switch (code) {
    // The same meaning, with the same or another number.
    case FailureCode::kNone: return 0;
    case FailureCode::kUnspecified: return kUnspecified;
    case FailureCode::kInvalidMessage: return kInvalidMessage;
    case FailureCode::kNotImplemented: return kNotImplemented;
    case FailureCode::kInvalidPortSession: return 4;
    case FailureCode::kNoSuchPort: return 5;
    case FailureCode::kPortDown: return 6;
    case FailureCode::kInvalidInputLabel:
    case FailureCode::kInvalidOutputLabel: return kLabelOutOfRange;
    case FailureCode::kNoSuchConnection: return 8;
    case FailureCode::kNoSuchBranch: return 9;
    case FailureCode::kBranchOnSamePort: return 10;
    case FailureCode::kTooManyMulticasts: return 11;
    case FailureCode::kTooManyBranches: return 12;
    case FailureCode::kCannotLabelBranch: return kCannotLabelBranch;
    case FailureCode::kMulticastOther: return kMulticastOther;
    case FailureCode::kOutOfResources: return kOutOfResources;
    case FailureCode::kGeneral: return 16;
    // Codes that version 1.1 lacks: the nearest one.
    case FailureCode::kNoResourcesForProfile:
    case FailureCode::kInsufficientResources:
    case FailureCode::kOutsideRegion: return kOutOfResources;
    case FailureCode::kInvalidServiceSelector:
    case FailureCode::kReservationOutOfRange:
    case FailureCode::kReservationPortsDiffer:
    case FailureCode::kReservationInUse:
    case FailureCode::kNoSuchReservation:
    case FailureCode::kReplaceWithMultipoint:
    case FailureCode::kRateOutOfRange:
    case FailureCode::kNoSuchClass:
    case FailureCode::kNoSuchEstimator: return kInvalidMessage;
    case FailureCode::kNoVpSwitching:
    case FailureCode::kNoMultipointVpc:
    case FailureCode::kVpOnNonAtmPort:
    case FailureCode::kReplaceInactive:
    case FailureCode::kReplaceUnsupported:
    case FailureCode::kLabelRangeImpossible:
    case FailureCode::kLabelRangeDisjoint:
    case FailureCode::kNoMultipointLabels:
    case FailureCode::kRateFixed:
    case FailureCode::kUnsupportedParameter: return kNotImplemented;
    case FailureCode::kCannotLabelDifferently: return kCannotLabelBranch;
    case FailureCode::kMultipointOntoBidirectional:
    case FailureCode::kNoQosPerBranch: return kMulticastOther;
    case FailureCode::kInvalidPartition:
    case FailureCode::kBidirectionalExists:
    case FailureCode::kVpcOntoVcc:
    case FailureCode::kVccOntoVpc:
    case FailureCode::kOldLabelsInUse: return kUnspecified;
  }
  return kUnspecified;  // other codes of QoS and optional models, and unknown codes
}

FailureCode failure_code_from_wire(std::uint8_t number, MessageType type) {
  switch (number) {
    case 0: return FailureCode::kNone;
    case 2: return FailureCode::kInvalidMessage;
    case 3: return FailureCode::kNotImplemented;
    case 4: return FailureCode::kInvalidPortSession;
    case 5: return FailureCode::kNoSuchPort;
    case 6: return FailureCode::kPortDown;
    case 7:
      return type == MessageType::kMoveOutputBranch ? FailureCode::kInvalidOutputLabel
                                                    : FailureCode::kInvalidInputLabel;
    case 8: return FailureCode::kNoSuchConnection;
    case 9: return FailureCode::kNoSuchBranch;
    case 10: return FailureCode::kBranchOnSamePort;
    case 11: return FailureCode::kTooManyMulticasts;
    case 12: return FailureCode::kTooManyBranches;
    case 13: return FailureCode::kCannotLabelBranch;
    case 14: return FailureCode::kMulticastOther;
    case 15: return FailureCode::kOutOfResources;
    case 16: return FailureCode::kGeneral;
    default: return FailureCode::kUnspecified;
  }
}

}  // namespace xbind::gsmp::v1
