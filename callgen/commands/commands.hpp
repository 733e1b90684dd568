// Every command there is; main.cpp lists them in this order.
#pragma once

#include "callgen/commands/command.hpp"

namespace xbind::callgen {

extern const Command kRun;

}  // namespace xbind::callgen
