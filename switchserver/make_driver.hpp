// Which driver a switch gets: the one place that knows them all. The address of --switch chooses:
//
//   HOST:PORT, gsmp://HOST:PORT     GSMP over TCP (RFC 3293 section 4), RunningGsmpDriver
//
// A driver for another protocol is a RunningDriver and a row of the table in make_driver.cpp.
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

// The address in its full form, "gsmp://127.0.0.1:6068": the same for every way to write one switch's
// address. kBadInput names the scheme that no driver has, or what is wrong with the rest.
Result<std::string> full_switch_address(std::string_view address);

// The driver of one switch, not started. `options` have been checked. `random` gives 32 bits at each
// call.
std::unique_ptr<RunningDriver> make_driver(const NodeOptions& options,
                                           std::function<std::uint32_t()> random);

}  // namespace xbind
