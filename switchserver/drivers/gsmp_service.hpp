// A traffic contract in GSMP's terms (RFC 3292 section 10): the service model where the switch
// offers the service, otherwise priorities.
//
//   category   service    Service ID   priority (0 is the best; limited to the port's worst)
//   CBR        CBR.1          1        0
//   rt-VBR     rt-VBR.1       2        1
//   nrt-VBR    nrt-VBR.1      5        2
//   GFR        GFR.1         12        3
//   UBR        UBR.1          8        3
//   none                               0
//
// Where a service has several forms, the first is used: it polices all cells of a connection,
// whatever their loss priority. The capability set is 1. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "core/traffic_contract.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/qos_fields.hpp"
#include "gsmp/messages/service_configuration.hpp"

namespace xbind {

inline constexpr std::uint16_t kCapabilitySet = 1;

// Categories as a set: bit 1 << category.
using ServiceSet = std::uint8_t;
constexpr ServiceSet service_bit(ServiceCategory category) {
  return static_cast<ServiceSet>(1U << static_cast<unsigned>(category));
}

// The services in the port's list that have capability set kCapabilitySet.
ServiceSet services_of(const gsmp::PortRecord& record);

// TC flags for each category. Requests policing where the switch polices per connection and the
// category promises something to protect (all but UBR). All other flags are 0.
using TcFlags = std::array<std::uint8_t, static_cast<std::size_t>(kServiceCategoryLast) + 1>;
TcFlags tc_flags_of(const gsmp::ServiceConfiguration& configuration);

// Writes the service model, one block for both sides. The contract must be present.
void set_service(gsmp::QosFields& fields, const TrafficContract& contract, const TcFlags& flags);

// Writes the priority model. `input_priorities`, `output_priorities`: number of priorities of each
// port, at least 1.
void set_priorities(gsmp::QosFields& fields, ServiceCategory category,
                    std::uint8_t input_priorities, std::uint8_t output_priorities);

}  // namespace xbind
