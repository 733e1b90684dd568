// Checks whether other machines can reach the references that this process registers.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xbind::orb {

// Returns the warning for a process that registers references to `listen_address` (numeric) with
// `name_service` ("HOST:PORT"). There is one when one of the two is a loopback address and the
// other is neither a loopback address nor in `own` (numeric, of this machine); it names both.
// Returns nullopt otherwise, and while the host's name does not resolve. May call the resolver.
std::optional<std::string> loopback_warning(const std::string& listen_address,
                                            const std::string& name_service,
                                            const std::vector<std::string>& own);

// The numeric addresses of this machine's interfaces; empty when the system reports an error.
std::vector<std::string> own_addresses();

}  // namespace xbind::orb
