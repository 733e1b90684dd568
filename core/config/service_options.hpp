// The options that specify a service by name or by class, for every program that requests
// connections. Frame rate and frame size are the program's own options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/options.hpp"
#include "core/contract_bound.hpp"
#include "core/service_terms.hpp"
#include "core/traffic_contract.hpp"

namespace xbind {

struct ServiceOptions {
  std::string name;  // empty: the service is specified another way
  double peak_to_mean = 0;
  std::uint64_t burst_frames = 0;
  std::uint64_t bits_per_s = 0;
  std::uint64_t peak_bits_per_s = 0;
  double frame_loss = 0;
  double delay_ms = 0;
};

// Bounds of an option that becomes a field of a contract: a rate, a burst, a tolerance.
constexpr config::UintBounds contract_field_from(std::uint64_t min) {
  return {min, TrafficContract::kFieldMax, kWhyContractFieldMax};
}
// Refuses frames that certainly need more cells a second, or in a frame, than a contract can say:
// a cell has 48 octets of payload. The QOSMapper counts the cells exactly.
std::optional<std::string> frames_beyond_contract(std::uint64_t frames_per_1000_s,
                                                  std::uint64_t frame_octets);

// Declares the options; `prefix` begins the help text of --service-class. Also adds a check that
// refuses the other options where --service-class is not given. `set` and `options` must outlive
// the set's load().
void declare_service_options(config::OptionSet& set, ServiceOptions& options,
                             const std::string& prefix = {});

// Converts loaded options with a name. Rates are rounded up, loss and delay down.
ServiceTerms terms_of(const ServiceOptions& options, std::uint64_t frames_per_1000_s,
                      std::uint64_t frame_octets);

}  // namespace xbind
