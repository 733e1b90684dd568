// Chooses a switch's driver by the address of --switch; the only place that lists all drivers:
//
//   HOST:PORT, gsmp://HOST:PORT     GSMP over TCP (RFC 3293 section 4), RunningGsmpDriver
//
// To add a driver, derive it from RunningDriver and add a row to the table in make_driver.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "switchserver/drivers/running_driver.hpp"

namespace xbind {

struct NodeOptions;

// Returns the full form, "gsmp://127.0.0.1:6068", which is the same for every spelling of one
// switch's address. kBadInput names a scheme without a driver, or the error in the rest.
Result<std::string> full_switch_address(std::string_view address);

// Creates the driver of one switch, not started. `options` must have been checked. `random` returns
// 32 bits at each call.
std::unique_ptr<RunningDriver> make_driver(const NodeOptions& options,
                                           std::function<std::uint32_t()> random);

}  // namespace xbind
