// The figures of a floor run (bench/floor/floor_run.hpp) as numbers by name: in a report, as text,
// and compared with a run. bench/README.md, "The floor", lists the names.
#pragma once

#include <map>
#include <string>

namespace xbind::callgen {

struct RunReport;

// Names end with their unit; shares and ratios have no unit.
using FloorFigures = std::map<std::string, double>;

// For a run between two floors: the means of the two, how far they differ, and the run's shares.
FloorFigures shares_of_floor(const FloorFigures& before, const FloorFigures& after,
                             const RunReport& report);

// Lines for people, without a final newline; empty without figures.
std::string to_text(const FloorFigures& figures);

}  // namespace xbind::callgen
