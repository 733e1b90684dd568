// Whether others can reach what this process registers.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xbind::orb {

// What is to be said at the start of a process that registers references to `listen_address`
// (numeric) with `name_service` ("HOST:PORT"): a sentence that names both when the one is a
// loopback address and the other is at no address of `own` (numeric, of this machine) and no
// loopback address. Nothing otherwise, and nothing while the host's name does not resolve. May ask
// the resolver.
std::optional<std::string> loopback_warning(const std::string& listen_address,
                                            const std::string& name_service,
                                            const std::vector<std::string>& own);

// The numeric addresses of this machine's interfaces; empty when the system does not say.
std::vector<std::string> own_addresses();

}  // namespace xbind::orb
