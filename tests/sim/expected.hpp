// The resources that a service needs and that a port charges for it. A second implementation of the
// documents (qosmapper/README.md, traffic/admission.hpp) that calls none of the tested code.
#pragma once

#include <optional>

#include "cmgr/parts/connection.hpp"
#include "core/call.hpp"
#include "traffic/admission.hpp"

namespace xbind::sim {

// For a valid service; an invalid one needs nothing.
cmgr::Contract expected_contract(const ServiceSpec& service,
                                 const std::optional<ServiceSpec>& reverse);

struct ExpectedPort {
  AdmissionMode mode = AdmissionMode::kDemand;
  std::uint64_t cells_per_s = 0;  // of its line
  std::uint64_t buffer_cells = 0;
  std::uint64_t overbooking = 1'000;  // thousandths
};
// The resources that the port may promise.
Resources expected_capacity(const ExpectedPort& port);
Resources expected_charge(const ExpectedPort& port, const Resources& demand,
                          const TrafficContract& contract);

}  // namespace xbind::sim
