// Every command there is; main.cpp lists them in this order.
#pragma once

#include "bench/commands/command.hpp"

namespace xbind::callgen {

extern const Command kRun;
extern const Command kSaturate;
extern const Command kSearch;
extern const Command kControl;
extern const Command kCeiling;
extern const Command kOverloadCommand;
extern const Command kSoak;
extern const Command kCompare;
extern const Command kReport;
extern const Command kFigures;
extern const Command kGeneratorCommand;
extern const Command kFloor;
extern const Command kNullManager;
extern const Command kNullSwitch;

}  // namespace xbind::callgen
