// Entry point of the suite: registers every case as a test.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

// Registers "PREFIX.case_name" for every case of this version. `connect` returns a connection to
// the switch and is called for each case. Call before RUN_ALL_TESTS().
void register_cases(const std::string& prefix, std::uint8_t version,
                    std::function<std::unique_ptr<Transport>()> connect);

}  // namespace xbind::conformance
