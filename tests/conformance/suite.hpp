// Entry point of the suite: registers every case as a test.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

using Connect = std::function<std::unique_ptr<Transport>()>;
using Lacks = std::vector<std::string>;  // names of needs, in their order in suite.cpp

// Connects to the switch and returns which needs of the cases it does not meet. Expectations fail,
// and the result is empty, when the switch cannot be prepared.
Lacks lacks_of(std::uint8_t version, const Connect& connect);

// Registers "PREFIX.case_name" for every case of this version whose needs the switch meets, and
// returns the names of the others. `connect` returns a connection to the switch and is called for
// each case. Call before RUN_ALL_TESTS().
std::vector<std::string> register_cases(const std::string& prefix, std::uint8_t version,
                                        const Connect& connect, const Lacks& lacks);

// Registers "PREFIXLacks.what_its_registration_says": the needs that the switch does not meet are
// exactly `lacks`. Otherwise a case could vanish with the feature that it checks.
void register_lacks(const std::string& prefix, std::uint8_t version, const Connect& connect,
                    const Lacks& lacks);

}  // namespace xbind::conformance
