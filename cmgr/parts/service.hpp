// QOS mapping with the QOSMapper's code linked into the manager: from the requested service to the
// resources of every hop and the contract for every switch. See traffic/service.hpp; refusals are
// converted to the manager's form.
#pragma once

#include <tl/expected.hpp>

#include "cmgr/parts/connection.hpp"
#include "core/call.hpp"
#include "core/traffic_contract.hpp"
#include "traffic/catalogue.hpp"

namespace xbind::cmgr {

// kInvalidRequest names the invalid number. kUnknownService names the unknown kind, or the name
// that is not in the catalogue.
tl::expected<NetworkService, Refusal> network_of(const ServiceSpec& service,
                                                 const Catalogue& catalogue = shipped_catalogue());

}  // namespace xbind::cmgr
