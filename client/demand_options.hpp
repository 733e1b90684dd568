// The options that specify what a connection needs, for programs of operators: cells a second,
// frames, a service by its name (core/config/service_options.hpp), or a traffic contract.
//
//   std::string category;
//   declare_demand(set, service, named, category);
//   set.add_check([&] { return settle_demand(set, service, named, category); });
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/config/options.hpp"
#include "core/config/service_options.hpp"

namespace xbind::client {

// In the order of ServiceCategory's numbers; the first one: no contract is named.
const std::vector<std::string>& categories();

// The names of the options below.
std::vector<std::string> demand_option_names();

// Declares the options; the targets must outlive the set's load(). `cells_more`: a sentence at the
// end of the help of --cells-per-s.
void declare_demand(config::OptionSet& set, ServiceSpec& service, ServiceOptions& named,
                    std::string& category, const std::string& cells_more = {});

// After the options are loaded: completes `service`. Returns the sentence that refuses options that
// do not go together; it begins with the name of an option.
std::optional<std::string> settle_demand(const config::OptionSet& set, ServiceSpec& service,
                                         const ServiceOptions& named, const std::string& category);

}  // namespace xbind::client
