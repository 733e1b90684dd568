// The policy by which a switch estimates its schedulable regions, in the model "xbind-sr" (MType
// 201): messages of draft-adam-gsmp-sr-00 under the header of RFC 3292. Get Estimation Policy
// Support (223):
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       SR Estimator mask       |               x               |  0 in the request
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Set Estimation Policy (224) and Get Estimation Policy (225):
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |A|          x          | SR-E  |   x   |   Update Threshold    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                 the estimator's own parameters                ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Request, success and failure of each type share one layout. The parameters are 32-bit words up to
// the end of the message. The estimator defines their meaning; peak rate has none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

// SR-E, 4 bits; also the bit number in the mask, 0 the highest. Other values fail with
// kNoSuchEstimator.
enum class Estimator : std::uint8_t {
  kPeakRate = 0,
  kProprietary = 15,
};

// Bit `number` of a 16-bit mask, counted from the highest. All masks of this model count so.
constexpr std::uint16_t mask_bit(unsigned number) {
  return static_cast<std::uint16_t>(number < 16 ? 0x8000U >> number : 0);
}

std::string to_string(Estimator estimator);  // "peak rate"; without a name: "estimator 7"

inline constexpr std::uint16_t kUpdateThresholdMax = 2000;  // 20 %; 12 bits would hold more

struct EstimationSupport {
  Header header{.type = MessageType::kGetEstimationSupport};
  std::uint16_t estimators = 0;  // a mask

  bool has(Estimator estimator) const {
    return (estimators & mask_bit(static_cast<unsigned>(estimator))) != 0;
  }
  friend bool operator==(const EstimationSupport&, const EstimationSupport&) = default;
};

struct EstimationPolicy {
  Header header{.type = MessageType::kGetEstimationPolicy};  // or kSetEstimationPolicy
  PortId port;
  std::uint32_t port_session = 0;
  bool all_ports = false;  // A: Port and its session number are ignored
  Estimator estimator = Estimator::kPeakRate;
  // Units of 0.01 %: a new estimate takes effect if it differs by more than this (changed_beyond).
  // 12 bits; the switch refuses values above kUpdateThresholdMax.
  std::uint16_t update_threshold = 0;
  std::vector<std::uint32_t> parameters;

  friend bool operator==(const EstimationPolicy&, const EstimationPolicy&) = default;
};

void encode(const EstimationSupport& message, wire::Writer& out);
void encode(const EstimationPolicy& message, wire::Writer& out);
// Both refuse kTruncated.
Decoded<EstimationSupport> decode_estimation_support(const Header& header,
                                                     std::span<const std::byte> body);
Decoded<EstimationPolicy> decode_estimation_policy(const Header& header,
                                                   std::span<const std::byte> body);
std::string to_string(const EstimationSupport& message);
std::string to_string(const EstimationPolicy& message);

}  // namespace xbind::gsmp
