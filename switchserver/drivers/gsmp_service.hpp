// A traffic contract in GSMP's terms (RFC 3292 section 10): the service model where the switch offers
// the service, priorities where it does not.
//
//   category   service    Service ID   priority (0 is the best; no port goes beyond its own worst)
//   CBR        CBR.1          1        0
//   rt-VBR     rt-VBR.1       2        1
//   nrt-VBR    nrt-VBR.1      5        2
//   GFR        GFR.1         12        3
//   UBR        UBR.1          8        3
//   none                               0
//
// Of the services that come in several forms it is the first, which holds all cells of a connection
// to the contract, whatever their loss priority. The capability set is 1. Pure.
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

// Of the port's list, those with capability set kCapabilitySet.
ServiceSet services_of(const gsmp::PortRecord& record);

// TC flags for each category: policing where the switch polices per connection and the category
// promises something that it protects (all but UBR); nothing for what is not asked for or cannot be.
using TcFlags = std::array<std::uint8_t, static_cast<std::size_t>(kServiceCategoryLast) + 1>;
TcFlags tc_flags_of(const gsmp::ServiceConfiguration& configuration);

// The service model on both sides, one block for both. The contract is present.
void set_service(gsmp::QosFields& fields, const TrafficContract& contract, const TcFlags& flags);

// The priority model. `input_priorities`, `output_priorities`: how many each port has, from 1.
void set_priorities(gsmp::QosFields& fields, ServiceCategory category,
                    std::uint8_t input_priorities, std::uint8_t output_priorities);

}  // namespace xbind
