// The contract of a call as options: in cells, in frames, or a service by its name.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/config/options.hpp"
#include "core/config/service_options.hpp"

namespace xbind::callgen {

struct ContractOptions {
  std::uint64_t cells_per_s = 0;
  std::uint64_t buffer_cells = 0;
  double frames_per_s = 0;  // 0: the demand is in cells
  std::uint64_t frame_octets = 0;
  ServiceOptions service;  // by name or class, with the frames above
};

// Declares the options with their checks; both must outlive the set's load().
void declare_contract_options(config::OptionSet& set, ContractOptions& options);

// From loaded options: the named service, or frames if frames_per_s is given, or else cells.
ServiceSpec service_of(const ContractOptions& options);

}  // namespace xbind::callgen
