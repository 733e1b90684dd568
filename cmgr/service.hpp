// From what the user asks for to what every hop must give and every switch be told: QOS mapping with
// the QOSMapper's code linked into the manager (paper, item C7): qosmapper/service.hpp, its refusals in
// the manager's form.
#pragma once

#include <tl/expected.hpp>

#include "cmgr/connection.hpp"
#include "core/call.hpp"
#include "core/traffic_contract.hpp"

namespace xbind::cmgr {

// kInvalidRequest names the number that cannot be; kUnknownService the kind.
tl::expected<NetworkService, Refusal> network_of(const ServiceSpec& service);

}  // namespace xbind::cmgr
