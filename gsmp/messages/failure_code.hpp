// The Code of a response (RFC 3292 section 12): why a switch refused. These are the numbers of
// version 3. Versions 1 and 2 use others (4 and 5 are swapped, 8 to 16 are shifted); they are
// translated elsewhere (failure_code_v1.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace xbind::gsmp {

enum class FailureCode : std::uint8_t {
  kNone = 0,  // no failure: the Code of a success
  kUnspecified = 1,
  kInvalidMessage = 2,
  kNotImplemented = 3,
  kNoSuchPort = 4,
  kInvalidPortSession = 5,
  kPortDown = 6,
  kInvalidPartition = 7,
  kGeneral = 10,  // depends on the message type: some elements of a delete failed, a report found
                  // nothing
  kNoSuchConnection = 11,
  kNoSuchBranch = 12,
  kInvalidInputLabel = 13,
  kInvalidOutputLabel = 14,
  kBidirectionalExists = 15,
  kInvalidServiceSelector = 16,
  kNoResourcesForProfile = 17,
  kInsufficientResources = 18,
  kOutOfResources = 19,
  kReservationOutOfRange = 20,
  kReservationPortsDiffer = 21,
  kReservationInUse = 22,
  kNoSuchReservation = 23,
  kNoVpSwitching = 24,
  kNoMultipointVpc = 25,
  kVpcOntoVcc = 26,
  kVccOntoVpc = 27,
  kVpOnNonAtmPort = 28,
  kBranchOnSamePort = 29,
  kTooManyMulticasts = 30,
  kTooManyBranches = 31,
  kCannotLabelDifferently = 32,
  kMultipointOntoBidirectional = 33,
  kCannotLabelBranch = 34,
  kMulticastOther = 35,
  kReplaceInactive = 36,
  kReplaceWithMultipoint = 37,
  kLabelRangeImpossible = 40,
  kLabelRangeDisjoint = 41,
  kNoMultipointLabels = 42,
  kRateFixed = 43,
  kRateOutOfRange = 44,
  kReplaceUnsupported = 45,
  kOldLabelsInUse = 46,  // the only warning: comes with a success
  // 60 to 79 belong to the QoS model in use, 128 to 159 to the optional one. Codes of "xbind-sr":
  kNoSuchClass = 60,
  kOutsideRegion = 61,  // one more call would leave the schedulable region
  kNoSuchEstimator = 62,
  kUnsupportedParameter = 63,
  kNoQosPerBranch = 80,
};

// "no such port (4)"; a number without a name prints as "code 99".
std::string to_string(FailureCode code);

}  // namespace xbind::gsmp
