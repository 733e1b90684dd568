// Service Configuration (RFC 3292 section 8.4): the services and capability sets that the switch
// supports. The request is a header only; the success:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |               x               |   Number of Service Records   |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                            records                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// record:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |          Service ID           |  Number of Capability Sets    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// capability set, each:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Capability Set ID       | U | D | I | E | S | V |   x   |  Traffic Controls
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |      CLR      |               CTD, microseconds               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |   Frequency   |               CDV, microseconds               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gsmp/messages/header.hpp"
#include "gsmp/messages/traffic.hpp"

namespace xbind::gsmp {

enum class TrafficControl : std::uint8_t {  // 2 bits
  kNo = 0,
  kAlways = 1,         // on all connections
  kPerConnection = 2,  // if the TC flag of a traffic block requests it
};

inline constexpr std::uint8_t kClrNone = 255;

struct CapabilitySet {
  std::uint16_t id = 0;
  TrafficControl policing = TrafficControl::kNo;                    // U
  TrafficControl packet_discard = TrafficControl::kNo;              // D
  TrafficControl ingress_shaping = TrafficControl::kNo;             // I
  TrafficControl egress_peak_shaping = TrafficControl::kNo;         // E
  TrafficControl egress_sustainable_shaping = TrafficControl::kNo;  // S
  TrafficControl vc_merge = TrafficControl::kNo;                    // V
  std::uint8_t clr = kClrNone;                                      // n: 10^-n, 1..15
  std::uint32_t ctd_us = 0;                                         // 24 bits
  std::uint8_t frequency = 0;
  std::uint32_t cdv_us = 0;  // 24 bits

  friend bool operator==(const CapabilitySet&, const CapabilitySet&) = default;
};

struct ServiceRecord {
  ServiceId service = ServiceId::kCbr1;
  std::vector<CapabilitySet> sets;
  friend bool operator==(const ServiceRecord&, const ServiceRecord&) = default;
};

struct ServiceConfigurationRequest {
  Header header{.type = MessageType::kServiceConfiguration};
  friend bool operator==(const ServiceConfigurationRequest&,
                         const ServiceConfigurationRequest&) = default;
};

struct ServiceConfiguration {
  Header header{.type = MessageType::kServiceConfiguration, .result = ResultField::kSuccess};
  std::vector<ServiceRecord> services;
  friend bool operator==(const ServiceConfiguration&, const ServiceConfiguration&) = default;
};

// The TC flags of a traffic block that `set` does not offer per connection; 0: none.
std::uint8_t flags_not_offered(const CapabilitySet& set, std::uint8_t tc_flags);

void encode(const ServiceConfigurationRequest& message, wire::Writer& out);
void encode(const ServiceConfiguration& message, wire::Writer& out);
Decoded<ServiceConfigurationRequest> decode_service_configuration_request(
    const Header& header, std::span<const std::byte> body);
// Refuses kTruncated, kElementCount (a Number of Capability Sets that does not fit).
Decoded<ServiceConfiguration> decode_service_configuration(const Header& header,
                                                           std::span<const std::byte> body);
std::string to_string(const ServiceConfigurationRequest& message);
std::string to_string(const ServiceConfiguration& message);

}  // namespace xbind::gsmp
