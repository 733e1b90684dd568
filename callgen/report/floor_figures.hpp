// What a floor has shown (null/floor_run.hpp), as numbers by name: in a report, in words, and what a run is
// beside it. README.md, "The floor", lists the names.
#pragma once

#include <map>
#include <string>

namespace xbind::callgen {

struct RunReport;

// Names end with their unit; shares and ratios have none.
using FloorFigures = std::map<std::string, double>;

// Of a run between two floors: the means of the two, how far they are apart, and the run's shares.
FloorFigures shares_of_floor(const FloorFigures& before, const FloorFigures& after,
                             const RunReport& report);

// A block of lines for people, without an end of line at its end; empty without figures.
std::string to_text(const FloorFigures& figures);

}  // namespace xbind::callgen
