// The suite itself, for whoever has a switch: every case becomes a test of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

// Registers "PREFIX.case_name" for every case of this version. `connect` gives a connection to the
// switch, for each case anew. Call before RUN_ALL_TESTS().
void register_cases(const std::string& prefix, std::uint8_t version,
                    std::function<std::unique_ptr<Transport>()> connect);

}  // namespace xbind::conformance
