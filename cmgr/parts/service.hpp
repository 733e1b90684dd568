// From what the user asks for to what every hop must give and every switch be told: QOS mapping with
// the QOSMapper's code linked into the manager (paper, item C7): qosmapper/service.hpp, its refusals in
// the manager's form.
#pragma once

#include <tl/expected.hpp>

#include "cmgr/parts/connection.hpp"
#include "core/call.hpp"
#include "core/traffic_contract.hpp"
#include "qosmapper/catalogue.hpp"

namespace xbind::cmgr {

// kInvalidRequest names the number that cannot be; kUnknownService the kind, or the name that the
// catalogue does not have.
tl::expected<NetworkService, Refusal> network_of(const ServiceSpec& service,
                                                 const Catalogue& catalogue = shipped_catalogue());

}  // namespace xbind::cmgr
