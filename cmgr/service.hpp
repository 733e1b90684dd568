// From what the user asks for to what every hop must give: QOS mapping with the QOSMapper's code
// linked into the manager (paper, item C7): qosmapper/service.hpp, its refusals in the manager's form.
#pragma once

#include <tl/expected.hpp>

#include "cmgr/connection.hpp"
#include "core/call.hpp"
#include "core/resources.hpp"

namespace xbind::cmgr {

// Cells a second 1..2^32-1. kInvalidRequest names the number that cannot be; kUnknownService the kind.
tl::expected<Resources, Refusal> demand_of(const ServiceSpec& service);

}  // namespace xbind::cmgr
